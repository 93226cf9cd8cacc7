// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.Compat;
import io.meshtransport.config.EffectiveValue;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.Secret;
import io.meshtransport.config.Setting;
import io.meshtransport.config.Source;
import io.meshtransport.handshake.CompatHandle;
import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.HandshakeSettings;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LegacyHandle;
import io.meshtransport.handshake.LegacyPort;
import io.meshtransport.handshake.LogLevels;
import io.meshtransport.handshake.LookupRequest;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.ScopedAddress;
import io.meshtransport.spi.CableKnowledge;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.MemoryStatistics;
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
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelRegistry;
import io.meshtransport.transport.channel.ChannelTiming;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.connect.ChannelAcceptor;
import io.meshtransport.transport.connect.ChannelPromise;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.ConnectSettings;
import io.meshtransport.transport.connect.Connector;
import io.meshtransport.transport.connect.CutCables;
import io.meshtransport.transport.connect.EndpointFactory;
import io.meshtransport.transport.connect.HandleLookup;
import io.meshtransport.transport.connect.ListenerRegistry;
import io.meshtransport.transport.connect.MeshConnector;
import io.meshtransport.transport.connect.MeshListener;
import io.meshtransport.transport.connect.OverlayRoutes;
import io.meshtransport.transport.connect.PendingConnects;
import io.meshtransport.transport.connect.PromisedFuture;
import io.meshtransport.transport.connect.RoutePlanner;
import io.meshtransport.transport.connect.WireKeys;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.jmx.TransportRegistration;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MemorySettings;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.RemoteKey;
import io.meshtransport.transport.ncclmesh.NcclMeshConnector;
import io.meshtransport.transport.ncclmesh.NcclMeshWire;
import io.meshtransport.transport.overlay.OverlayLink;
import io.meshtransport.transport.poll.MeshPoller;
import io.meshtransport.transport.poll.ProgressThread;
import io.meshtransport.transport.stats.HandshakeStatistics;
import io.meshtransport.transport.stats.TrafficTable;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One node's end of the mesh: opens what belongs to it, in order, does what users call for, and
 * closes all of it again. Any thread may call it.
 */
final class MeshTransport implements Transport {
  private static final Logger LOG = LogManager.getLogger(MeshTransport.class);

  private static final long SET_UP_ENDS_WITHIN_MS = 2_000;

  /** More than all the waits of {@link #closeAll} together. */
  private static final long OTHER_CLOSE_WITHIN_MS = 10_000;

  private final MeshConfig config;
  private final LocalNics nics;
  private final NodeId self;
  private final Peer peer;
  private final ThreadPoolExecutor setUp = newSetUpThread();
  private final TrafficTable traffic = new TrafficTable();
  private final MemoryRegistry memories;
  private final ChannelRegistry channels;
  private final ListenerRegistry listeners = new ListenerRegistry(this::publish);
  private final PendingConnects pending = new PendingConnects();
  private final ProgressThread progress;
  private final HostChanges host;
  private final ConnectContext context;
  private final Optional<NcclMeshWire> legacy;
  private final Handshaker handshaker;
  private final TransportRegistration jmx;
  private final AtomicReference<OverlayLink> overlay = new AtomicReference<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch allClosed = new CountDownLatch(1);

  /**
   * Takes over the NICs and closes them if it cannot be opened.
   *
   * @throws TransportException NO_RESOURCES if the handshake port cannot be listened on
   */
  static MeshTransport open(MeshConfig config, LocalNics nics) throws TransportException {
    return open(config, nics, Optional.empty());
  }

  /** The same, with NICs that never change. */
  static MeshTransport open(MeshConfig config, List<OpenNic> nics) throws TransportException {
    return open(config, LocalNics.fixed(nics));
  }

  /** The same, with NICs that never change. */
  static MeshTransport open(
      MeshConfig config, List<OpenNic> nics, Function<MeshChannel, ChannelAttendant> attendants)
      throws TransportException {
    return open(config, LocalNics.fixed(nics), Optional.of(attendants));
  }

  /**
   * The same.
   *
   * @param attendants makes what follows each channel, instead of the progress thread
   */
  private static MeshTransport open(
      MeshConfig config,
      LocalNics nics,
      Optional<Function<MeshChannel, ChannelAttendant>> attendants)
      throws TransportException {
    try {
      MeshTransport opened = new MeshTransport(config, nics, attendants);
      opened.host.start();
      opened.jmx.begin();
      return opened;
    } catch (HandshakeException e) {
      TransportException why = new TransportException(Reason.NO_RESOURCES, e.getMessage(), e);
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
      Optional<Function<MeshChannel, ChannelAttendant>> attendants)
      throws HandshakeException {
    this.config = config;
    this.nics = nics;
    SecureRandom random = new SecureRandom();
    self = NodeId.random(random);
    peer = new Peer(config.node(), self.toString());
    QueuePairSettings queuePairs = QueuePairSettings.of(config);
    ChannelTiming timing = ChannelTiming.of(config);
    ConnectSettings settings = ConnectSettings.of(config);
    progress = new ProgressThread(!config.progressThread());
    memories = new MemoryRegistry(self, nics.registrations(), MemorySettings.of(config));
    channels = new ChannelRegistry(timing.goodbyeNs());
    host = new HostChanges(nics, channels, listeners, this::listenOn);
    context =
        new ConnectContext(
            settings,
            new EndpointFactory(
                config.node(), queuePairs, new WireKeys(config.secret().map(Secret::key)), random),
            nics,
            new RoutePlanner(nics),
            new CutCables(),
            host.watch(),
            host::rescan,
            setUp,
            pending,
            listeners,
            channels,
            new ChannelContext(
                timing,
                traffic,
                memories,
                setUp,
                channels::remove,
                attendants.orElse(progress::attendant)));
    legacy =
        config.compat() == Compat.NCCL_MESH
            ? Optional.of(new NcclMeshWire(nics, queuePairs))
            : Optional.empty();
    // Peers may connect from here on, and are refused until there is a listener.
    handshaker =
        Handshaker.open(
            handshakeSettings(config),
            HostChanges.addresses(nics),
            self,
            new ChannelAcceptor(context));
    jmx = new TransportRegistration(this, channels);
    LOG.info(
        "node {} ({}) offers {}",
        config.node(),
        self.shortId(),
        nics.described().stream().map(Nic::label).toList());
  }

  private void publish(Optional<byte[]> handle) {
    handshaker.publish(handle);
  }

  private void listenOn(Set<ScopedAddress> addresses) {
    handshaker.listenOn(addresses.stream().map(ScopedAddress::toSocketAddress).toList());
  }

  private static HandshakeSettings handshakeSettings(MeshConfig config) {
    // A port that the user has set is used or opening fails: peers know it. The default is a wish.
    boolean isWish = config.effective(Setting.HANDSHAKE_PORT).source() == Source.DEFAULT;
    return new HandshakeSettings(
            config.handshakePort(),
            config.timeoutMs(),
            HandshakeSettings.RETRY_COUNT,
            HandshakeSettings.MAX_HALF_OPEN,
            config.secret().map(secret -> SharedSecret.of(secret.key())))
        .orAnyPort(isWish);
  }

  private static ThreadPoolExecutor newSetUpThread() {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        work -> {
          Thread thread = new Thread(work, "mesh-setup");
          thread.setDaemon(true);
          return thread;
        },
        // Only after close(): what comes late still closes what it holds, on its own thread.
        (late, full) -> late.run());
  }

  @Override
  public Optional<String> setting(String name) {
    return config.values().values().stream()
        .filter(each -> each.setting().name().equals(name) && each.source() != Source.DEFAULT)
        .findFirst()
        .map(EffectiveValue::text);
  }

  @Override
  public List<NicDescription> nics() {
    return host.descriptions();
  }

  @Override
  public void addNicListener(NicListener listener) {
    host.watch().add(listener);
  }

  @Override
  public void removeNicListener(NicListener listener) {
    host.watch().remove(listener);
  }

  @Override
  public RegisteredMemory register(ByteBuffer buffer) throws TransportException {
    return register(List.of(buffer));
  }

  @Override
  public RegisteredMemory register(List<ByteBuffer> segments, Set<RemoteAccess> access)
      throws TransportException {
    requireOpen();
    return stillOpen(memories.register(segments, access));
  }

  @Override
  public RegisteredMemory register(
      long address, long lengthBytes, Set<RemoteAccess> access, Object keepAlive, Runnable onEnd)
      throws TransportException {
    requireOpen();
    Objects.requireNonNull(onEnd, "onEnd");
    // Once the memory has ended and this method has returned it, whichever is later: it may end at
    // any moment by a close of the transport, and then this method throws.
    AtomicInteger missing = new AtomicInteger(2);
    Runnable end =
        () -> {
          if (missing.decrementAndGet() == 0) {
            onEnd.run();
          }
        };
    MeshMemory memory = stillOpen(memories.register(address, lengthBytes, access, keepAlive, end));
    end.run();
    return memory;
  }

  @Override
  public RegisteredMemory allocate(long lengthBytes, Set<RemoteAccess> access)
      throws TransportException {
    requireOpen();
    return stillOpen(memories.allocate(lengthBytes, access));
  }

  @Override
  public void deregister(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      memories.unregistered().cache().remove(buffer);
    }
  }

  @Override
  public MemoryStatistics memoryStatistics() {
    return memories.statistics();
  }

  private MeshMemory stillOpen(MeshMemory memory) {
    if (closed.get()) {
      memory.close();
      requireOpen();
    }
    return memory;
  }

  @Override
  public RemoteMemory remoteMemory(byte[] key) throws TransportException {
    try {
      return RemoteKey.decode(key);
    } catch (IllegalArgumentException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e);
    }
  }

  @Override
  public Listener listen() throws TransportException {
    return listen(ConnectOptions.DEFAULT);
  }

  @Override
  public Listener listen(ConnectOptions options) throws TransportException {
    requireOpen();
    Objects.requireNonNull(options, "options");
    MeshListener listener = listeners.open(id -> newListener(id, options));
    if (closed.get()) {
      listener.close();
      requireOpen();
    }
    return listener;
  }

  private MeshListener newListener(int id, ConnectOptions options) throws TransportException {
    return legacy.isPresent()
        ? legacyListener(legacy.get(), id, options)
        : newListener(id, options, () -> handle(id).encode(), () -> {});
  }

  private MeshListener newListener(
      int id, ConnectOptions options, Supplier<byte[]> handle, Runnable onClose) {
    return new MeshListener(
        self.shortId(),
        id,
        options,
        handle,
        setUp,
        listener -> {
          onClose.run();
          listeners.remove(listener);
        });
  }

  private MeshListener legacyListener(NcclMeshWire wire, int id, ConnectOptions options)
      throws TransportException {
    LegacyPort port = wire.listen(context, handshaker, id);
    try {
      byte[] first = wire.handle(port, handle(id));
      return newListener(id, options, () -> legacyHandle(wire, port, id, first), port::close);
    } catch (TransportException e) {
      port.close();
      throw e;
    }
  }

  /** While there is no IPv4 address for the C plugin's part: the handle of when there was one. */
  private byte[] legacyHandle(NcclMeshWire wire, LegacyPort port, int id, byte[] first) {
    try {
      return wire.handle(port, handle(id));
    } catch (TransportException noAddress) {
      return first.clone();
    }
  }

  /** With the addresses of now. */
  private PeerHandle handle(int listenerId) {
    return new PeerHandle(self, listenerId, handshaker.port(), handleAddresses());
  }

  private List<HandleAddress> handleAddresses() {
    return nics.now().stream()
        .flatMap(
            nic ->
                nic.nic().addresses().stream()
                    .map(
                        address ->
                            new HandleAddress(address.link(), nic.index(), nic.nic().speedMbps())))
        .sorted(Comparator.comparing(address -> address.link().isLinkLocal()))
        .limit(PeerHandle.MAX_ADDRESSES)
        .toList();
  }

  @Override
  public ChannelFuture<SendChannel> connect(byte[] handle) throws TransportException {
    return connect(handle, Optional.empty());
  }

  @Override
  public ChannelFuture<SendChannel> connect(byte[] handle, InetAddress named)
      throws TransportException {
    return connect(handle, Optional.of(named));
  }

  private ChannelFuture<SendChannel> connect(byte[] handle, Optional<InetAddress> named)
      throws TransportException {
    requireOpen();
    return PromisedFuture.of(start(connectorTo(handle, named)), SendChannel.class, setUp);
  }

  private ChannelPromise<SendChannel> start(Connector connector) {
    pending.add(connector);
    setUp.execute(connector::start);
    return connector.opening();
  }

  @Override
  public ChannelFuture<Connection> connect(byte[] handle, ConnectOptions options)
      throws TransportException {
    requireOpen();
    MeshConnector connector =
        new MeshConnector(
            context,
            handshaker,
            ownHandle(handle),
            options.preferredAddress(),
            Optional.of(options));
    return PromisedFuture.of(start(connector), Connection.class, setUp);
  }

  /** What our own wire needs of a handle. */
  private static PeerHandle ownHandle(byte[] handle) throws TransportException {
    byte[] ours = LegacyHandle.isMeant(handle) ? CompatHandle.ours(handle) : handle;
    if (LegacyHandle.isMeant(handle) && ours.length == 0) {
      throw new TransportException(
          Reason.BAD_HANDLE,
          "This is a handle of the C plugin nccl-mesh, whose channels go one way. Connect to it"
              + " without options.");
    }
    try {
      return PeerHandle.decodePadded(ours);
    } catch (HandleFormatException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e);
    }
  }

  @Override
  public int handshakePort() {
    return handshaker.port();
  }

  @Override
  public CompletableFuture<byte[]> lookup(InetSocketAddress address) {
    requireOpen();
    long deadlineNs = System.nanoTime() + context.settings().timeoutNs();
    return HandleLookup.ask(handshaker, new LookupRequest(address, deadlineNs));
  }

  @Override
  public String nodeId(byte[] handle) throws TransportException {
    return ownHandle(handle).node().toString();
  }

  @Override
  public Poller newPoller() throws TransportException {
    requireOpen();
    List<OpenNic> open = nics.now();
    if (open.isEmpty()) {
      throw new TransportException(
          Reason.NO_NIC, "this node has no NIC now, so that there is nothing to poll. Try again");
    }
    try {
      return new MeshPoller(
          context.forChannels(), open.get(0).device().createCompletionEvents(), progress);
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
    if (!closed.get()) {
      // A driver may take long to end a queue pair: not on the caller's thread.
      setUp.execute(
          () -> {
            pending.nodeGone(node, evidence);
            channels.nodeGone(node, evidence);
          });
    }
  }

  @Override
  public void cableCut(String nodeId, int interfaceIndex, String evidence) {
    NodeId node = NodeId.parse(nodeId);
    Objects.requireNonNull(evidence, "evidence");
    if (!closed.get()) {
      context.cuts().cut(node, interfaceIndex, System.nanoTime());
      setUp.execute(() -> channels.cableCut(node, interfaceIndex, evidence));
    }
  }

  @Override
  public void cableMended(String nodeId, int interfaceIndex) {
    context.cuts().mended(NodeId.parse(nodeId), interfaceIndex);
  }

  @Override
  public void consult(CableKnowledge cables) {
    context.routes().consult(Objects.requireNonNull(cables, "cables"));
  }

  @Override
  public synchronized Overlay.Attachment attach(Overlay newOverlay) throws TransportException {
    requireOpen();
    if (legacy.isPresent() || nics.areFixed() || overlay.get() != null) {
      throw new TransportException(
          Reason.UNAVAILABLE,
          overlay.get() != null
              ? "an overlay is attached to this transport already"
              : "this transport reaches nodes over cables only (MESH_COMPAT)");
    }
    // A rail beside that over the cable is of use only if it is beside the cable, too.
    boolean isDetour = context.settings().isStandbyUsed();
    OverlayLink link = OverlayLink.open(newOverlay, self, handshaker::port, nics, host, isDetour);
    overlay.set(link);
    context.routes().overlay(link.routes());
    host.attachedChanged();
    return () -> detach(link);
  }

  private void detach(OverlayLink link) {
    if (overlay.compareAndSet(link, null)) {
      context.routes().overlay(OverlayRoutes.NONE);
      link.close();
      host.attachedChanged();
    }
  }

  /** A handle of both wires is taken for our own, which can do more. */
  private Connector connectorTo(byte[] handle, Optional<InetAddress> named)
      throws TransportException {
    boolean isLegacy = LegacyHandle.isMeant(handle);
    byte[] ours = isLegacy ? CompatHandle.ours(handle) : handle;
    try {
      if (isLegacy && ours.length == 0) {
        return new NcclMeshConnector(
            context, handshaker, legacyOrRefuse(), LegacyHandle.decode(handle), named);
      }
      return new MeshConnector(
          context, handshaker, PeerHandle.decodePadded(ours), named, Optional.empty());
    } catch (HandleFormatException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e);
    }
  }

  private NcclMeshWire legacyOrRefuse() throws TransportException {
    return legacy.orElseThrow(
        () ->
            new TransportException(
                Reason.BAD_HANDLE,
                "This is a handle of the C plugin nccl-mesh, whose wire has no authentication. Set"
                    + " MESH_COMPAT=nccl-mesh on this node to connect to it all the same."));
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this transport is closed");
    }
  }

  // For tests, which set channels up without a handshake or read its counters.

  Handshaker handshaker() {
    return handshaker;
  }

  ConnectContext context() {
    return context;
  }

  NodeId node() {
    return self;
  }

  /** Its node, its port, and what it has open. */
  @Override
  public String toString() {
    return "Transport of node "
        + self.shortId()
        + ", handshake port "
        + handshaker.port()
        + (closed.get() ? ", closed" : "")
        + ": "
        + channels.size()
        + " channels, "
        + listeners.size()
        + " listeners";
  }

  @Override
  public Statistics statistics() {
    return traffic.read(
        nics.described().stream().map(Nic::device).toList(),
        HandshakeStatistics.of(handshaker.counters()));
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        closeAll();
      } finally {
        allClosed.countDown();
      }
    } else {
      awaitOtherClose();
    }
  }

  /**
   * Another thread closes: comes back when it is through. That may be waiting for this very thread,
   * so there is a bound.
   */
  private void awaitOtherClose() {
    try {
      if (!allClosed.await(OTHER_CLOSE_WITHIN_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("another thread has not closed this transport in {} ms", OTHER_CLOSE_WITHIN_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeAll() {
    jmx.close();
    channels.refuseMore();
    pending.refuseMore();
    host.close();
    listeners.closeAll();
    pending.endAll();
    Optional.ofNullable(overlay.get()).ifPresent(this::detach);
    // From here on no handshake is in progress, so no channel comes any more.
    handshaker.close();
    endSetUp();
    channels.closeAll();
    progress.close();
    LOG.log(LogLevels.decision(), "handshakes: {}", handshaker.counters());
    statistics().peers().forEach(pair -> LOG.log(LogLevels.decision(), "{}", pair));
    IllegalStateException leak =
        new IllegalStateException("something of this transport stays open");
    memories.closeAll(leak);
    nics.close(leak);
    if (leak.getSuppressed().length > 0) {
      // A leak in our code: everything else is closed, so fail loudly.
      throw leak;
    }
  }

  private void endSetUp() {
    setUp.shutdown();
    try {
      if (!setUp.awaitTermination(SET_UP_ENDS_WITHIN_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("set-up did not end within {} ms", SET_UP_ENDS_WITHIN_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
