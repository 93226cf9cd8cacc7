// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.EffectiveValue;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.Source;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Nic;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.MemoryStatistics;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.MeshProvider;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Statistics;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.MeshListener;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.jmx.TransportRegistration;
import io.meshtransport.transport.memory.RemoteKey;
import io.meshtransport.transport.poll.MeshPoller;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One node's end of the mesh: does what users call for, as long as it is open, with the {@link
 * TransportParts} that it owns. Any thread may call it.
 */
final class MeshTransport implements Transport {
  private static final Logger LOG = LogManager.getLogger(MeshTransport.class);

  private final MeshConfig config;

  /** What the program has set, its secret included: for the mesh alone. */
  private final ProgramSettings given;

  private final Peer peer;
  private final TransportParts parts;
  private final TransportRegistration jmx;
  private final SingleClose closing = new SingleClose();
  private final ProgramMemory memory;

  /**
   * Takes over the NICs and closes them if it cannot be opened.
   *
   * @param given what the program has set, of all that the configuration was made of
   * @throws TransportException NO_RESOURCES if the handshake port cannot be listened on
   */
  static MeshTransport open(MeshConfig config, LocalNics nics, Map<String, String> given)
      throws TransportException {
    return open(config, nics, Optional.empty(), given);
  }

  /** The same, with NICs that never change. */
  static MeshTransport open(MeshConfig config, List<OpenNic> nics) throws TransportException {
    return open(config, LocalNics.fixed(nics), Map.of());
  }

  /** The same, with NICs that never change. */
  static MeshTransport open(
      MeshConfig config, List<OpenNic> nics, Function<MeshChannel, ChannelAttendant> attendants)
      throws TransportException {
    return open(config, LocalNics.fixed(nics), Optional.of(attendants), Map.of());
  }

  /**
   * The same.
   *
   * @param attendants makes what follows each channel, instead of the progress thread
   */
  private static MeshTransport open(
      MeshConfig config,
      LocalNics nics,
      Optional<Function<MeshChannel, ChannelAttendant>> attendants,
      Map<String, String> given)
      throws TransportException {
    try {
      MeshTransport opened = new MeshTransport(config, nics, attendants, given);
      opened.parts.host.start();
      opened.jmx.begin();
      return opened;
    } catch (HandshakeException e) {
      TransportException why =
          new TransportException(Reason.NO_RESOURCES, e.getMessage(), e.getCause());
      nics.close(why);
      throw why;
    } catch (RuntimeException | Error e) {
      nics.close(new IllegalStateException(e));
      throw e;
    }
  }

  private MeshTransport(
      MeshConfig config,
      LocalNics nics,
      Optional<Function<MeshChannel, ChannelAttendant>> attendants,
      Map<String, String> given)
      throws HandshakeException {
    this.config = config;
    this.given = ProgramSettings.of(given);
    parts = new TransportParts(config, nics, attendants);
    peer = new Peer(config.node(), parts.self.toString());
    memory = new ProgramMemory(parts.memories, closing);
    jmx = new TransportRegistration(this, parts.channels, parts.context.routes()::mesh);
    LOG.info(
        "node {} ({}) offers {}",
        config.node(),
        parts.self.shortId(),
        nics.described().stream().map(Nic::label).toList());
  }

  @Override
  public Optional<String> setting(String name) {
    return config.values().values().stream()
        .filter(each -> each.setting().name().equals(name) && each.source() != Source.DEFAULT)
        .findFirst()
        .map(EffectiveValue::text);
  }

  @Override
  public Mesh joinMesh(MeshProvider provider, Map<String, String> settings)
      throws TransportException {
    closing.requireOpen();
    return provider.join(this, given.overriddenBy(settings));
  }

  @Override
  public List<NicDescription> nics() {
    return parts.host.descriptions();
  }

  @Override
  public void addNicListener(NicListener listener) {
    parts.host.watch().add(listener);
  }

  @Override
  public void removeNicListener(NicListener listener) {
    parts.host.watch().remove(listener);
  }

  @Override
  public RegisteredMemory register(ByteBuffer buffer) throws TransportException {
    return register(List.of(buffer));
  }

  @Override
  public RegisteredMemory register(List<ByteBuffer> segments, Set<RemoteAccess> access)
      throws TransportException {
    return memory.register(segments, access);
  }

  @Override
  public RegisteredMemory register(
      long address, long lengthBytes, Set<RemoteAccess> access, Object keepAlive, Runnable onEnd)
      throws TransportException {
    return memory.register(address, lengthBytes, access, keepAlive, onEnd);
  }

  @Override
  public RegisteredMemory allocate(long lengthBytes, Set<RemoteAccess> access)
      throws TransportException {
    return memory.allocate(lengthBytes, access);
  }

  @Override
  public void deregister(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      parts.memories.unregistered().cache().remove(buffer);
    }
  }

  @Override
  public MemoryStatistics memoryStatistics() {
    return parts.memories.statistics();
  }

  @Override
  public RemoteMemory remoteMemory(byte[] key) throws TransportException {
    try {
      return RemoteKey.decode(key);
    } catch (IllegalArgumentException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e.getCause());
    }
  }

  @Override
  public Listener listen() throws TransportException {
    return listen(ConnectOptions.DEFAULT);
  }

  @Override
  public Listener listen(ConnectOptions options) throws TransportException {
    closing.requireOpen();
    Objects.requireNonNull(options, "options");
    MeshListener listener = parts.listening.open(options);
    if (closing.isClosed()) {
      listener.close();
      closing.requireOpen();
    }
    return listener;
  }

  @Override
  public ChannelFuture<SendChannel> connect(byte[] handle) throws TransportException {
    if (closing.isClosed()) {
      return closedFuture();
    }
    return parts.connects.connect(handle, Optional.empty());
  }

  @Override
  public ChannelFuture<SendChannel> connect(byte[] handle, InetAddress named)
      throws TransportException {
    if (closing.isClosed()) {
      return closedFuture();
    }
    return parts.connects.connect(handle, Optional.of(named));
  }

  @Override
  public ChannelFuture<Connection> connect(byte[] handle, ConnectOptions options)
      throws TransportException {
    if (closing.isClosed()) {
      return closedFuture();
    }
    return parts.connects.connect(handle, options);
  }

  private <C extends Channel> ChannelFuture<C> closedFuture() {
    ChannelFuture<C> closed = new ChannelFuture<>();
    closed.completeExceptionally(closing.closedFailure());
    return closed;
  }

  @Override
  public int handshakePort() {
    return parts.handshaker.port();
  }

  @Override
  public CompletableFuture<byte[]> lookup(InetSocketAddress address) {
    if (closing.isClosed()) {
      return CompletableFuture.failedFuture(closing.closedFailure());
    }
    return parts.connects.lookup(address);
  }

  @Override
  public String nodeId(byte[] handle) throws TransportException {
    return OutboundConnects.ownHandle(handle).node().toString();
  }

  @Override
  public Poller newPoller() throws TransportException {
    closing.requireOpen();
    MeshPoller poller = openPoller();
    parts.pollers.add(poller);
    if (closing.isClosed()) {
      poller.close();
      closing.requireOpen();
    }
    return poller;
  }

  private MeshPoller openPoller() throws TransportException {
    List<OpenNic> open = parts.nics.now();
    if (open.isEmpty()) {
      throw new TransportException(
          Reason.NO_NIC, "this node has no NIC now, so that there is nothing to poll. Try again");
    }
    try {
      return new MeshPoller(
          parts.context.forChannels(),
          open.get(0).device().createCompletionEvents(),
          parts.progress,
          parts.pollers::remove);
    } catch (VerbsException e) {
      throw new TransportException(
          Reason.NO_RESOURCES, "no poller can be made: " + e.getMessage(), e);
    }
  }

  @Override
  public Peer self() {
    return peer;
  }

  @Override
  public void peerGone(String nodeId, String evidence) {
    NodeId node = NodeId.parse(nodeId);
    Objects.requireNonNull(evidence, "evidence");
    if (!closing.isClosed()) {
      // A driver may take long to end a queue pair: not on the caller's thread.
      parts.setUp.execute(
          () -> {
            parts.pending.nodeGone(node, evidence);
            parts.channels.nodeGone(node, evidence);
          });
    }
  }

  @Override
  public void cableCut(String nodeId, int interfaceIndex, String evidence) {
    NodeId node = NodeId.parse(nodeId);
    Objects.requireNonNull(evidence, "evidence");
    if (!closing.isClosed()) {
      parts.context.cuts().cut(node, interfaceIndex, System.nanoTime());
      parts.setUp.execute(() -> parts.channels.cableCut(node, interfaceIndex, evidence));
    }
  }

  @Override
  public void cableMended(String nodeId, int interfaceIndex) {
    parts.context.cuts().mended(NodeId.parse(nodeId), interfaceIndex);
  }

  @Override
  public void consult(MeshKnowledge mesh) {
    parts.context.routes().consult(Objects.requireNonNull(mesh, "mesh"));
  }

  @Override
  public Overlay.Attachment attach(Overlay overlay) throws TransportException {
    closing.requireOpen();
    return parts.overlay.attach(overlay);
  }

  // For tests, which set channels up without a handshake or read its counters.

  Handshaker handshaker() {
    return parts.handshaker;
  }

  ConnectContext context() {
    return parts.context;
  }

  NodeId node() {
    return parts.self;
  }

  /** Its node, its port, and what it has open. */
  @Override
  public String toString() {
    return "Transport of node "
        + parts.self.shortId()
        + ", handshake port "
        + parts.handshaker.port()
        + (closing.isClosed() ? ", closed" : "")
        + ": "
        + parts.channels.size()
        + " channels, "
        + parts.listeners.size()
        + " listeners";
  }

  @Override
  public Statistics statistics() {
    return parts.statistics();
  }

  @Override
  public void close() {
    closing.close(this::closeAll);
  }

  private void closeAll() {
    jmx.close();
    parts.close();
  }
}
