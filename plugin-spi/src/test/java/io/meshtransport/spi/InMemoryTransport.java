// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The smallest implementation of the SPI: nodes of one JVM that copy from one buffer to the other.
 * Exists to prove that the contract can be kept, and to be broken to prove that the contract
 * notices.
 */
public final class InMemoryTransport implements Transport {
  private static final AtomicLong NEXT_PORT = new AtomicLong(1);

  /** Oldest first. */
  private static final Map<Long, InMemoryListener> LISTENERS = new ConcurrentSkipListMap<>();

  private static final long SEGMENT_BYTES = 1L << 30;
  private static final int FIRST_HANDSHAKE_PORT = 1024;
  private static final int HANDSHAKE_PORTS = 0x10000 - FIRST_HANDSHAKE_PORT;
  private static final AtomicInteger NODES = new AtomicInteger();

  /** Everything made and not closed, of all nodes. */
  private static final AtomicLong OPEN = new AtomicLong();

  private final String name;
  private final int handshakePort =
      FIRST_HANDSHAKE_PORT + NODES.getAndIncrement() % HANDSHAKE_PORTS;
  private final String id = "%08x%024x".formatted(handshakePort, 0);
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
  private final Set<NicListener> nicListeners = ConcurrentHashMap.newKeySet();
  private final InMemoryPlain plain = new InMemoryPlain(this);
  private volatile boolean closed;

  /** Opens a node, which all nodes of this JVM can reach. */
  public InMemoryTransport(String name) {
    this.name = name;
  }

  static long openThings() {
    return OPEN.get();
  }

  String name() {
    return name;
  }

  String id() {
    return id;
  }

  @Override
  public String nodeId(byte[] handle) throws TransportException {
    InMemoryListener listener = LISTENERS.get(InMemoryHandle.decode(handle));
    return listener == null ? "0".repeat(32) : listener.owner().id();
  }

  @Override
  public List<NicDescription> nics() {
    List<String> addresses = List.of("10.0.0.1/32");
    return List.of(new NicDescription("memory", "", "soft", addresses, 0, MAX_MESSAGE_BYTES, true));
  }

  @Override
  public void addNicListener(NicListener listener) {
    nicListeners.add(listener);
  }

  @Override
  public void removeNicListener(NicListener listener) {
    nicListeners.remove(listener);
  }

  /** For tests of those who listen. */
  public List<NicListener> nicListeners() {
    return List.copyOf(nicListeners);
  }

  @Override
  public Statistics statistics() {
    return new Statistics(List.of(), List.of(), List.of());
  }

  @Override
  public RegisteredMemory register(ByteBuffer buffer) throws TransportException {
    return register(List.of(buffer), Set.of());
  }

  @Override
  public RegisteredMemory register(List<ByteBuffer> segments, Set<RemoteAccess> access)
      throws TransportException {
    checkOpen();
    return remember(new InMemoryMemory(this, segments, access, () -> {}));
  }

  @Override
  public RegisteredMemory register(
      long address, long lengthBytes, Set<RemoteAccess> access, Object keepAlive, Runnable onEnd)
      throws TransportException {
    checkOpen();
    if (address == 0
        || lengthBytes < 1
        || lengthBytes > MAX_MESSAGE_BYTES
        || Long.compareUnsigned(address + lengthBytes - 1, address) < 0) {
      throw new IllegalArgumentException(lengthBytes + " bytes at " + address);
    }
    List<ByteBuffer> segments = new ArrayList<>();
    for (long at = 0; at < lengthBytes; at += SEGMENT_BYTES) {
      int segmentBytes = (int) Math.min(SEGMENT_BYTES, lengthBytes - at);
      segments.add(InMemoryAddress.bufferAt(address + at, segmentBytes));
    }
    Runnable end =
        () -> {
          Reference.reachabilityFence(keepAlive);
          try {
            onEnd.run();
          } catch (Throwable failure) {
            // The program's own mistake, and not of the thread that ends the last use.
          }
        };
    return remember(new InMemoryMemory(this, segments, access, end));
  }

  @Override
  public RegisteredMemory allocate(long lengthBytes, Set<RemoteAccess> access)
      throws TransportException {
    if (lengthBytes < 1 || lengthBytes > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(lengthBytes + " bytes");
    }
    ByteBuffer more =
        ByteBuffer.allocateDirect((int) lengthBytes + 2 * ALLOCATION_ALIGNMENT_BYTES)
            .alignedSlice(ALLOCATION_ALIGNMENT_BYTES);
    return register(List.of(more.slice(0, (int) lengthBytes)), access);
  }

  @Override
  public void deregister(ByteBuffer buffer) {
    plain.forget(buffer);
  }

  @Override
  public MemoryStatistics memoryStatistics() {
    return plain.statistics();
  }

  InMemoryPlain plain() {
    return plain;
  }

  @Override
  public RemoteMemory remoteMemory(byte[] key) throws TransportException {
    return InMemoryKey.decode(key);
  }

  @Override
  public Peer self() {
    return new Peer(name, id);
  }

  @Override
  public void peerGone(String nodeId, String evidence) {
    if (!nodeId.matches("[0-9a-f]{32}")) {
      throw new IllegalArgumentException(nodeId);
    }
    for (AutoCloseable each : open) {
      if (each instanceof InMemoryEnd end && end.peer().id().equals(nodeId)) {
        end.pipe().peerGone(end, evidence);
      }
    }
  }

  @Override
  public Listener listen() throws TransportException {
    return listen(ConnectOptions.DEFAULT);
  }

  @Override
  public Listener listen(ConnectOptions options) throws TransportException {
    checkOpen();
    long port = NEXT_PORT.getAndIncrement();
    InMemoryListener listener = new InMemoryListener(this, port, options);
    LISTENERS.put(port, listener);
    return remember(listener);
  }

  void remove(InMemoryListener listener) {
    LISTENERS.remove(listener.port());
    forget(listener);
  }

  @Override
  public ChannelFuture<Connection> connect(byte[] handle, ConnectOptions options)
      throws TransportException {
    ChannelFuture<Connection> opening = new ChannelFuture<>();
    if (closed) {
      opening.completeExceptionally(closedFailure());
      return opening;
    }
    InMemoryListener listener = LISTENERS.get(InMemoryHandle.decode(handle));
    if (listener == null) {
      opening.completeExceptionally(
          new TransportException(Reason.PEER_UNREACHABLE, "no listener is there any more"));
      return opening;
    }
    InMemoryPipe pipe = new InMemoryPipe(true, this, options, listener.owner(), listener.options());
    remember(pipe.sender);
    listener.offerConnection(pipe.receiver);
    opening.complete(pipe.sender);
    return opening;
  }

  @Override
  public Poller newPoller() throws TransportException {
    checkOpen();
    return remember(new InMemoryPoller(this));
  }

  /** Breaks the cable under a connection: both ends fail with PEER_GONE. */
  public static void cut(Connection connection) {
    ((InMemoryEnd) connection).pipe().cut();
  }

  @Override
  public ChannelFuture<SendChannel> connect(byte[] handle) throws TransportException {
    ChannelFuture<SendChannel> opening = new ChannelFuture<>();
    if (closed) {
      opening.completeExceptionally(closedFailure());
      return opening;
    }
    InMemoryListener listener = LISTENERS.get(InMemoryHandle.decode(handle));
    if (listener == null) {
      opening.completeExceptionally(
          new TransportException(Reason.PEER_UNREACHABLE, "no listener is there any more"));
      return opening;
    }
    InMemoryPipe pipe =
        new InMemoryPipe(
            false, this, ConnectOptions.DEFAULT, listener.owner(), ConnectOptions.DEFAULT);
    opening.complete(remember(pipe.sender));
    listener.offer(pipe.receiver);
    return opening;
  }

  @Override
  public int handshakePort() {
    return handshakePort;
  }

  @Override
  public CompletableFuture<byte[]> lookup(InetSocketAddress address) {
    if (closed) {
      return CompletableFuture.failedFuture(closedFailure());
    }
    if (address.isUnresolved() || address.getPort() == 0) {
      throw new IllegalArgumentException(address + " is not a resolved address with a port");
    }
    return LISTENERS.values().stream()
        .filter(listener -> listener.owner().handshakePort == address.getPort())
        .filter(listener -> listener.options().isListed())
        .findFirst()
        .map(listener -> CompletableFuture.completedFuture(listener.handle()))
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    new TransportException(Reason.PEER_UNREACHABLE, "nobody listens there")));
  }

  private void checkOpen() throws TransportException {
    if (closed) {
      throw closedFailure();
    }
  }

  private TransportException closedFailure() {
    return new TransportException(Reason.CLOSED, name + " is closed");
  }

  <T extends AutoCloseable> T remember(T thing) {
    open.add(thing);
    OPEN.incrementAndGet();
    if (closed) {
      close();
    }
    return thing;
  }

  void forget(AutoCloseable thing) {
    if (open.remove(thing)) {
      OPEN.decrementAndGet();
    }
  }

  @Override
  public void close() {
    closed = true;
    for (AutoCloseable thing : open) {
      try {
        if (!(thing instanceof InMemoryPoller)) {
          thing.close();
        }
      } catch (Exception e) {
        throw new AssertionError("nothing here throws on close", e);
      }
    }
    // Last: they report the ends of connections.
    for (AutoCloseable thing : open) {
      if (thing instanceof InMemoryPoller poller) {
        poller.transportClosed();
      }
    }
  }
}
