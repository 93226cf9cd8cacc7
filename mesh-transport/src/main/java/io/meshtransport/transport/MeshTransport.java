// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.Compat;
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
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.Question;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.MemoryStatistics;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Statistics;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One node's end of the mesh. Owns its opened NICs, its handshaker and one thread for set-up; knows
 * its listeners, channels and memory, so that {@link #close} leaves nothing behind. Any thread may
 * call it.
 */
final class MeshTransport implements Transport {
  private static final Logger LOG = LogManager.getLogger(MeshTransport.class);
  private static final int PSN_BITS = 24;

  /** Every node of today's meshes is in the same job; the handshake can tell jobs apart. */
  private static final long SET_UP_ENDS_WITHIN_MS = 2_000;

  /** What closing may take beside the wait for the peer to take note. */
  private static final long CLOSING_GRACE_NS = 1_000_000_000 + 2 * Teardown.PATIENCE_NS;

  private static final long CLOSING_LOOK_NS = 1_000_000;

  /** More than all the waits of {@link #closeAll} together. */
  private static final long OTHER_CLOSE_WITHIN_MS = 10_000;

  private final LocalNics nics;
  private final HostWatch watch;
  private final StalledSends stalledSends;
  private final ChannelSettings settings;
  private final NodeId self;
  private final SecureRandom random = new SecureRandom();
  private final ThreadPoolExecutor setUp;
  private final Map<Integer, MeshListener> listeners = new ConcurrentHashMap<>();
  private final Set<MeshChannel> channels = ConcurrentHashMap.newKeySet();
  private final TrafficTable traffic = new TrafficTable();
  private final MemoryRegistry memories;
  private final Set<Connector> connecting = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<?>> railHandshakes = ConcurrentHashMap.newKeySet();
  private final AtomicInteger nextListenerId = new AtomicInteger(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch allClosed = new CountDownLatch(1);
  private final WireKeys wireKeys;

  /** Confined to the thread that looks at the host, as the next. */
  private final ListeningAddresses listening = new ListeningAddresses();

  private Set<InetAddress> listensOn = Set.of();

  /** Peers are still told of NICs as they were before. */
  private final AtomicBoolean isChangePending = new AtomicBoolean();

  private final Optional<NcclMeshWire> legacy;
  private final Handshaker handshaker;
  private final Predicate<MeshReceiveChannel> deferredAnnouncements;

  /**
   * Takes over the NICs and closes them if it cannot be opened.
   *
   * @throws TransportException NO_RESOURCES if the handshake port cannot be listened on
   */
  static MeshTransport open(MeshConfig config, LocalNics nics) throws TransportException {
    return open(config, nics, new DeferredAnnouncements());
  }

  /** The same, with NICs that never change. */
  static MeshTransport open(MeshConfig config, List<OpenNic> nics) throws TransportException {
    return open(config, LocalNics.fixed(nics));
  }

  /** The same, with NICs that never change. */
  static MeshTransport open(
      MeshConfig config, List<OpenNic> nics, Predicate<MeshReceiveChannel> deferredAnnouncements)
      throws TransportException {
    return open(config, LocalNics.fixed(nics), deferredAnnouncements);
  }

  /**
   * The same.
   *
   * @param deferredAnnouncements is given channels that have announcements deferred, under their
   *     locks, and calls {@link MeshReceiveChannel#moveDeferred} until none are; answers whether it
   *     does
   */
  static MeshTransport open(
      MeshConfig config, LocalNics nics, Predicate<MeshReceiveChannel> deferredAnnouncements)
      throws TransportException {
    try {
      MeshTransport opened = new MeshTransport(config, nics, deferredAnnouncements);
      if (!nics.areFixed()) {
        opened.watch.start();
      }
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
      MeshConfig config, LocalNics nics, Predicate<MeshReceiveChannel> deferredAnnouncements)
      throws HandshakeException {
    this.nics = nics;
    this.deferredAnnouncements = deferredAnnouncements;
    watch = new HostWatch(this::lookAround, this::nics);
    memories = new MemoryRegistry(this, nics.registrations(), MemorySettings.of(config));
    settings = ChannelSettings.of(config);
    stalledSends = new StalledSends(settings.timeoutNs());
    wireKeys = new WireKeys(config.secret().map(Secret::key));
    self = NodeId.random(random);
    setUp = newSetUpThread();
    legacy =
        config.compat() == Compat.NCCL_MESH
            ? Optional.of(new NcclMeshWire(this, settings.link()))
            : Optional.empty();
    // Peers may knock from here on, but are turned away until there is a listener.
    handshaker =
        Handshaker.open(handshakeSettings(config), addresses(), self, new ChannelAcceptor(this));
    LOG.info(
        "node {} ({}) offers {}",
        config.node(),
        self.brief(),
        nics.described().stream().map(Nic::label).toList());
  }

  /** Where peers reach this node. */
  private List<InetAddress> addresses() {
    return nics.described().stream()
        .flatMap(nic -> nic.addresses().stream())
        .map(address -> address.link().address())
        .toList();
  }

  private static HandshakeSettings handshakeSettings(MeshConfig config) {
    // Who asked for a port wants that one or none: peers are told of it. The default is a wish.
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
  public List<NicDescription> nics() {
    return nics.now().stream().map(OpenNic::describe).toList();
  }

  @Override
  public void addNicListener(NicListener listener) {
    watch.add(listener);
  }

  @Override
  public void removeNicListener(NicListener listener) {
    watch.remove(listener);
  }

  /** For a set-up that lacks a NIC or an address: perhaps it is a moment old. */
  void lookAtHost() {
    if (nics.lookIfStale(this::endChannels)) {
      isChangePending.set(true);
      // The rest is that thread's to do.
      watch.wakeUp();
    }
  }

  private void lookAround() {
    try {
      stalledSends.look(channels, System.nanoTime());
    } finally {
      lookAtHostNow();
    }
  }

  private void lookAtHostNow() {
    if (nics.look(this::endChannels)) {
      isChangePending.set(true);
    }
    Set<InetAddress> wanted = listening.with(addresses(), System.nanoTime());
    if (!wanted.equals(listensOn)) {
      handshaker.listenOn(wanted);
      listensOn = wanted;
    }
    if (isChangePending.compareAndSet(true, false)) {
      try {
        publishOldestListener();
      } catch (RuntimeException | Error e) {
        isChangePending.set(true);
        throw e;
      }
    }
  }

  /** What is gone ends only its own channels. */
  private void endChannels(LocalNics.Gone gone) {
    for (MeshChannel channel : channels) {
      try {
        channel.nicGone(gone.nic(), gone.why());
      } catch (RuntimeException e) {
        LOG.error("{}: cannot be ended though its NIC is gone", channel.route(), e);
      }
    }
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
  public RegisteredMemory allocate(long lengthBytes, Set<RemoteAccess> access)
      throws TransportException {
    requireOpen();
    return stillOpen(memories.allocate(lengthBytes, access));
  }

  @Override
  public void deregister(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      memories.unregistered().cache().forget(buffer);
    }
  }

  @Override
  public MemoryStatistics memoryStatistics() {
    return memories.statistics();
  }

  /** For buffers that nobody registered. */
  UnregisteredBuffers unregistered() {
    return memories.unregistered();
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

  /** This node, as its handles and keys name it. */
  NodeId self() {
    return self;
  }

  @Override
  public Listener listen() throws TransportException {
    requireOpen();
    int id = nextListenerId.getAndIncrement();
    MeshListener listener =
        legacy.isPresent()
            ? legacyListener(legacy.get(), id)
            : new MeshListener(this, id, () -> handle(id).encode(), () -> {});
    listeners.put(id, listener);
    publishOldestListener();
    if (closed.get()) {
      listener.close();
      requireOpen();
    }
    return listener;
  }

  private MeshListener legacyListener(NcclMeshWire wire, int id) throws TransportException {
    LegacyPort port = wire.listen(id);
    try {
      byte[] first = wire.handle(port, handle(id));
      return new MeshListener(this, id, () -> legacyHandle(wire, port, id, first), port::close);
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
    Connector connector = connectorTo(handle, named);
    connecting.removeIf(other -> other.opening().isDone());
    connecting.add(connector);
    if (closed.get()) {
      // close() may have looked before it was added.
      connector.end();
    }
    setUp.execute(connector::start);
    return connector.opening();
  }

  @Override
  public int handshakePort() {
    return handshaker.port();
  }

  @Override
  public CompletableFuture<byte[]> lookup(InetSocketAddress address) {
    requireOpen();
    long deadlineNs = System.nanoTime() + settings.timeoutNs();
    return HandleLookup.ask(handshaker, new Question(address, deadlineNs));
  }

  @Override
  public String nodeId(byte[] handle) throws TransportException {
    try {
      byte[] ours = LegacyHandle.isMeant(handle) ? CompatHandle.ours(handle) : handle;
      return PeerHandle.decodePadded(ours).node().toString();
    } catch (HandleFormatException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e);
    }
  }

  /** A handle of both wires is taken for our own, which can do more. */
  private Connector connectorTo(byte[] handle, Optional<InetAddress> named)
      throws TransportException {
    boolean isLegacy = LegacyHandle.isMeant(handle);
    byte[] ours = isLegacy ? CompatHandle.ours(handle) : handle;
    try {
      if (isLegacy && ours.length == 0) {
        return new NcclMeshConnector(this, legacyOrRefuse(), LegacyHandle.decode(handle), named);
      }
      return new MeshConnector(this, PeerHandle.decodePadded(ours), named);
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

  Routes route(List<RemoteAddress> remotes, Optional<InetAddress> named) {
    return route(remotes, named, nic -> nic.state() == PortState.ACTIVE);
  }

  /** As {@link #route}, also over NICs without a carrier. */
  Routes possible(List<RemoteAddress> remotes) {
    return route(remotes, Optional.empty(), nic -> true);
  }

  private Routes route(
      List<RemoteAddress> remotes, Optional<InetAddress> named, Predicate<Nic> which) {
    return Router.route(
        nics.described().stream().filter(which).toList(),
        remotes,
        named,
        nic -> nics.find(nic).map(open -> open.liveChannels().get()).orElse(0));
  }

  /** Why there is none of the candidates that were looked for. */
  TransportException noRoute(String peer, Routes none) {
    return NoRoute.to(
        peer,
        none,
        route(none.remotes(), Optional.empty(), nic -> nic.state() != PortState.ACTIVE)
            .candidates());
  }

  /**
   * @param nic as it was described a while ago
   * @throws VerbsException ENODEV if it is gone
   */
  OpenNic openNic(Nic nic) throws VerbsException {
    return nics.find(nic)
        .orElseThrow(
            () ->
                new VerbsException(
                    Errno.ENODEV, nic.label() + " is gone from this host, or has no address now."));
  }

  /** Those that the host has now. */
  List<OpenNic> openNics() {
    return nics.now();
  }

  LocalNics nicSet() {
    return nics;
  }

  /** The NIC that has an address now. */
  Optional<OpenNic> nicAt(InetAddress address) {
    return nics.now().stream()
        .filter(
            nic ->
                nic.nic().addresses().stream()
                    .anyMatch(own -> own.link().address().equals(address)))
        .findFirst();
  }

  ChannelSettings settings() {
    return settings;
  }

  Handshaker handshaker() {
    return handshaker;
  }

  /** Gives a rail's handshake up when this transport closes before its end. */
  void watch(CompletableFuture<?> railHandshake) {
    railHandshakes.add(railHandshake);
    railHandshake.whenComplete((outcome, failure) -> railHandshakes.remove(railHandshake));
    if (closed.get()) {
      // close() may have looked before it was added.
      railHandshake.cancel(false);
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  /** The one thread that opens and closes links outside of handshakes. */
  Executor setUp() {
    return setUp;
  }

  Predicate<MeshReceiveChannel> deferredAnnouncements() {
    return deferredAnnouncements;
  }

  int randomPsn() {
    return random.nextInt(1 << PSN_BITS);
  }

  /** A number that nobody guesses, for the rails of one channel to know each other by. */
  long randomBundle() {
    return random.nextLong();
  }

  /** The channel that rails of a bundle belong to, or null if there is none (any more). */
  MultiRailReceiveChannel bundle(NodeId peer, long bundle) {
    for (MeshChannel channel : channels) {
      if (channel instanceof MultiRailReceiveChannel railed && railed.isOf(peer, bundle)) {
        return railed;
      }
    }
    return null;
  }

  /** The listener with an id, or null if there is none (any more). */
  MeshListener listener(int id) {
    return listeners.get(id);
  }

  void forget(MeshListener listener) {
    listeners.remove(listener.id());
    publishOldestListener();
  }

  /** One at a time, so that what was seen last is what is told from then on. */
  private void publishOldestListener() {
    synchronized (listeners) {
      handshaker.publish(
          listeners.values().stream()
              .min(Comparator.comparingInt(MeshListener::id))
              .map(MeshListener::handle));
    }
  }

  /** Makes the keys that data connections in software are proved with. */
  WireKeys wireKeys() {
    return wireKeys;
  }

  /** What the peer must know of a link. */
  QueuePairAddress endpoint(MeshEndpoint link, int listenerId, Optional<RailId> ticket) {
    return new QueuePairAddress(
        link.number(),
        link.psn(),
        link.gid().gid(),
        link.mtuBytes(settings.link()),
        link.nic().device().wirePort(),
        new ChannelParameters(
                listenerId,
                link.nic().maxMessageBytes(),
                link.nic().readsServed(),
                ticket,
                link.token())
            .encode());
  }

  /**
   * Counts a channel as this transport's.
   *
   * @return false if the transport is closed; the channel is the caller's to close
   */
  boolean adopt(MeshChannel channel) {
    // Counted before others can find it: a rail that joins counts itself.
    channel.eachLine(line -> line.nic().liveChannels().incrementAndGet());
    channel.traffic().add(channel);
    channels.add(channel);
    return !closed.get();
  }

  /** The channel is closed. */
  void forget(MeshChannel channel) {
    channels.remove(channel);
    channel.traffic().remove(channel);
    channel.eachLine(line -> line.nic().liveChannels().decrementAndGet());
  }

  /**
   * Closes a line, if need be later than this returns; one that cannot be closed is logged, for
   * nobody could do better.
   */
  static void discard(VerbsEndpoint line) {
    Teardown.Removal removal = line.remove();
    try {
      removal.await();
    } catch (VerbsException e) {
      LOG.warn("a line cannot be closed: {}", e.getMessage());
    }
  }

  /** Where its channels count. */
  TrafficTable traffic() {
    return traffic;
  }

  /** Its node, its port, and what it has open. */
  @Override
  public String toString() {
    return "Transport of node "
        + self.brief()
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
    watch.close();
    List.copyOf(listeners.values()).forEach(MeshListener::close);
    connecting.forEach(Connector::end);
    railHandshakes.forEach(outcome -> outcome.cancel(false));
    // After this no handshake is under way any more, so no channel is made any more.
    handshaker.close();
    endSetUp();
    MeshChannel.closeAll(List.copyOf(channels));
    awaitClosing();
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

  /** Channels that other threads are closing hold memory and NICs until they are done. */
  private void awaitClosing() {
    long startNs = System.nanoTime();
    long atMostNs = settings.timing().goodbyeNs() + CLOSING_GRACE_NS;
    while (!channels.isEmpty() && System.nanoTime() - startNs < atMostNs) {
      LockSupport.parkNanos(this, CLOSING_LOOK_NS);
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
