// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.threads.FailureReports;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.AtomicScope;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.DeviceIdentity;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ObjectLimits;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.PortLink;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A software RDMA device with one port. Owns the lock that guards everything made from it, the
 * table of memory keys, the queue pairs by number, and the network below. Any thread may call it.
 */
final class SoftDevice implements VerbsDevice {
  /** A clock reading that never comes. */
  static final long NEVER = Long.MAX_VALUE;

  private static final Logger LOG = LogManager.getLogger(SoftDevice.class);
  private static final int GID_TABLE_LENGTH = 256;

  /** Of the first two as many as memory holds; no address handles and shared queues. */
  private static final ObjectLimits OBJECTS =
      new ObjectLimits(
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          0,
          0,
          0,
          0,
          SoftLimits.MAX_SGES,
          0,
          0,
          AtomicScope.DEVICE);

  private static final int QUEUE_PAIR_NUMBERS = 1 << 24;

  /** Addresses of regions start on pages, and tell nothing about others. */
  private static final long PAGE_BYTES = 4096;

  /** When the network's timer has failed it is run again after this. */
  private static final long AFTER_FAILURE_NS = 100_000_000L;

  /** A set-up step under the lock. */
  interface Step {
    void run() throws VerbsException;
  }

  /** A set-up step under the lock that makes something. */
  interface Question<T> {
    T answer() throws VerbsException;
  }

  private final String name;
  private final FailureReports timerFailures;
  private final Network network;
  private final DeviceLock lock = new DeviceLock();
  private final MemoryKeys keys;
  private final Map<Integer, SoftQueuePair> queuePairs = new HashMap<>();
  private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();

  /** The engines of the queue pairs, in no order: timers go through them without garbage. */
  private final List<RcEngine> engines = new ArrayList<>();

  private long earliestTimerNs = NEVER;
  private int lastQueuePairNumber;
  private int children;
  private int readRound;
  private volatile boolean isClosed;

  SoftDevice(String name, Network network) {
    this.name = name;
    this.timerFailures = new FailureReports("timers of device " + name, LOG::warn);
    this.network = network;
    this.keys = new MemoryKeys(network.random());
    this.lastQueuePairNumber = network.random().nextInt(2, QUEUE_PAIR_NUMBERS);
    network.attach(this);
    LOG.info("soft device {} open, wires accepted at port {}", name, network.wirePort());
  }

  DeviceLock lock() {
    return lock;
  }

  Network network() {
    return network;
  }

  MemoryKeys keys() {
    return keys;
  }

  long nowNs() {
    return network.nowNs();
  }

  // --- steps under the lock

  void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  void lockedThrowing(Step step) throws VerbsException {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  <T> T lockedResult(Question<T> question) throws VerbsException {
    lock.lock();
    try {
      requireOpen();
      return question.answer();
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() throws VerbsException {
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, "device " + name + " is closed");
    }
  }

  static void refuseWhileUsed(String what, int users, String by) throws VerbsException {
    if (users > 0) {
      throw new VerbsException(
          Errno.EBUSY,
          "the " + what + " is still used by " + users + " " + by + "; close them first");
    }
  }

  // --- timers, with the lock held

  void armTimer(long atNs) {
    if (earliestTimerNs == NEVER || atNs - earliestTimerNs < 0) {
      earliestTimerNs = atNs;
      network.timerArmed(atNs);
    }
  }

  long earliestTimerNs() {
    return earliestTimerNs;
  }

  /** Does what is due, and finds out what is due next. */
  void runTimers(long nowNs) {
    if (earliestTimerNs == NEVER || nowNs - earliestTimerNs < 0) {
      return;
    }
    earliestTimerNs = NEVER;
    // Backwards and by index: an engine that ends leaves the list, and an iterator is garbage.
    for (int i = engines.size() - 1; i >= 0; i--) {
      if (i < engines.size()) {
        runTimer(engines.get(i), nowNs);
      }
    }
    try {
      rearm(network.onTimer(nowNs));
    } catch (RuntimeException | Error e) {
      timerFailures.add(e);
      armTimer(nowNs + AFTER_FAILURE_NS);
    }
  }

  /** What is thrown over one queue pair ends that one; the timers of the others run. */
  private void runTimer(RcEngine engine, long nowNs) {
    try {
      rearm(engine.onTimer(nowNs));
    } catch (RuntimeException | Error e) {
      timerFailures.add(e);
      failQuietly(engine);
    }
  }

  private void failQuietly(RcEngine engine) {
    try {
      engine.fail();
      raise(AsyncEvent.Type.QP_FATAL, engine.number());
    } catch (RuntimeException | Error e) {
      timerFailures.add(e);
    }
  }

  private void rearm(long atNs) {
    if (atNs != NEVER) {
      armTimer(atNs);
    }
  }

  // --- children, with the lock held

  int nextQueuePairNumber() throws VerbsException {
    if (queuePairs.size() == SoftLimits.MAX_QUEUE_PAIRS) {
      throw new VerbsException(
          Errno.ENOMEM,
          "all " + queuePairs.size() + " queue pairs of device " + name + " are in use");
    }
    do {
      // 0 and 1 are reserved for management.
      lastQueuePairNumber =
          lastQueuePairNumber + 1 == QUEUE_PAIR_NUMBERS ? 2 : lastQueuePairNumber + 1;
    } while (queuePairs.containsKey(lastQueuePairNumber));
    return lastQueuePairNumber;
  }

  void add(SoftQueuePair queuePair) {
    queuePairs.put(queuePair.number(), queuePair);
    RcEngine engine = queuePair.engine();
    engine.placeAmongEngines(engines.size());
    engines.add(engine);
  }

  void remove(SoftQueuePair queuePair) {
    queuePairs.remove(queuePair.number());
    // The last one takes its place: a device with thousands of them must not search or shift.
    int place = queuePair.engine().placeAmongEngines();
    RcEngine last = engines.remove(engines.size() - 1);
    if (place < engines.size()) {
      engines.set(place, last);
      last.placeAmongEngines(place);
    }
  }

  /** Whether a queue pair waits to be told of its peer. */
  boolean isAnyInInit() {
    for (int i = engines.size() - 1; i >= 0; i--) {
      if (engines.get(i).state() == QueuePairState.INIT) {
        return true;
      }
    }
    return false;
  }

  void childClosed() {
    children--;
  }

  /** See {@link FrameStream#readNow}. */
  int nextReadRound() {
    return ++readRound;
  }

  long nextAddress() {
    // Below 2^62, so that it does not wrap; where regions overlap their keys tell them apart.
    return (network.random().nextLong() >>> 2) / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES;
  }

  void completionQueueBroke(SoftCompletionQueue queue) {
    for (RcEngine engine : List.copyOf(engines)) {
      if (engine.sendCompletions() == queue || engine.receiveCompletions() == queue) {
        raise(AsyncEvent.Type.QP_FATAL, engine.number());
        engine.fail();
      }
    }
  }

  // --- events, with the lock held

  void raise(AsyncEvent.Type type, int subject) {
    if (events.size() == SoftLimits.MAX_ASYNC_EVENTS) {
      events.remove();
    }
    events.add(new AsyncEvent(type, subject));
  }

  void lostWire(RcEngine engine, String why) {
    LOG.debug("queue pair {} of {} lost its wire: {}", engine.number(), name, why);
  }

  // --- what callers see

  @Override
  public String name() {
    return name;
  }

  @Override
  public DeviceAttributes query() {
    return new DeviceAttributes(
        "soft",
        SoftLimits.MAX_QUEUE_PAIRS,
        SoftLimits.MAX_QUEUE_DEPTH,
        SoftLimits.MAX_SGES,
        SoftLimits.MAX_COMPLETION_QUEUE_DEPTH,
        SoftLimits.MAX_MEMORY_REGIONS,
        SoftLimits.MAX_REGION_BYTES,
        SoftLimits.MAX_READ_ATOMIC,
        SoftLimits.MAX_READ_ATOMIC,
        new DeviceIdentity(0, 0, 0, 0, 0, 1),
        OBJECTS);
  }

  @Override
  public PortAttributes queryPort(int port) throws VerbsException {
    requirePort(port);
    PortState state = network.portState();
    return new PortAttributes(
        state,
        4096,
        network.activeMtuBytes(),
        GID_TABLE_LENGTH,
        SoftLimits.MAX_MESSAGE_BYTES,
        new PortLink(PortLink.LinkLayer.ETHERNET, state == PortState.ACTIVE, 0, 0, 0));
  }

  @Override
  public List<GidEntry> gidTable(int port) throws VerbsException {
    requirePort(port);
    return new ArrayList<>(network.gidTable());
  }

  void requirePort(int port) throws VerbsException {
    requireOpen();
    if (port != 1) {
      throw new VerbsException(
          Errno.EINVAL, "device " + name + " has port 1 only, there is no port " + port);
    }
  }

  /** The ends of the wire that a queue pair wants. */
  StreamAddress wireEnds(int queuePair, ReadyToReceiveAttributes wanted) throws VerbsException {
    int row = wanted.peer().sourceGidIndex();
    GidEntry source =
        gidTable(1).stream()
            .filter(entry -> entry.index() == row)
            .findFirst()
            .orElseThrow(
                () ->
                    new VerbsException(
                        Errno.EINVAL,
                        "device " + name + " has no GID in row " + row + "; read its table again"));
    StreamAddress ends =
        new StreamAddress(
            source.gid(),
            wirePort(),
            queuePair,
            wanted.peer().gid(),
            wanted.peer().wirePort(),
            wanted.peerQueuePair());
    if (ends.remotePort() == 0 || ends.compareEnds() == 0) {
      throw new VerbsException(
          Errno.EINVAL,
          ends.remotePort() == 0
              ? "the peer's wire port is missing: a soft device needs a soft peer"
              : "a soft queue pair cannot be its own peer");
    }
    return ends;
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    return lockedResult(() -> counted(new SoftProtectionDomain(this)));
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    return lockedResult(() -> counted(new SoftCompletionChannel(this)));
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) throws VerbsException {
    requireDepth(depth);
    return lockedResult(() -> counted(new SoftCompletionQueue(this, depth, null)));
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel)
      throws VerbsException {
    requireDepth(depth);
    if (!(channel instanceof SoftCompletionChannel own) || own.device() != this) {
      throw new VerbsException(Errno.EINVAL, "the completion channel is not one of device " + name);
    }
    return lockedResult(
        () -> {
          own.addUser();
          return counted(new SoftCompletionQueue(this, depth, own));
        });
  }

  private static void requireDepth(int depth) throws VerbsException {
    if (depth < 1 || depth > SoftLimits.MAX_COMPLETION_QUEUE_DEPTH) {
      throw new VerbsException(
          Errno.EINVAL,
          "completion queue depth "
              + depth
              + " is outside 1.."
              + SoftLimits.MAX_COMPLETION_QUEUE_DEPTH);
    }
  }

  private <T> T counted(T child) {
    children++;
    return child;
  }

  @Override
  public String vendorErrorText(int vendorError) {
    return PeerLoss.describe(vendorError);
  }

  @Override
  public Optional<AsyncEvent> pollAsyncEvent() throws VerbsException {
    return lockedResult(() -> Optional.ofNullable(events.poll()));
  }

  @Override
  public boolean returnsAtOnce() {
    return true;
  }

  @Override
  public int wirePort() {
    return network.wirePort();
  }

  @Override
  public void close() throws VerbsException {
    lock.lock();
    try {
      if (isClosed) {
        return;
      }
      refuseWhileUsed("device " + name, children, "objects made from it");
      isClosed = true;
    } finally {
      lock.unlock();
    }
    network.close();
    LOG.info("soft device {} closed", name);
  }
}
