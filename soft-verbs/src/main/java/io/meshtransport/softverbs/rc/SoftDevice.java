// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.AtomicScope;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.DeviceIdentity;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ObjectLimits;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.PortLink;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A software RDMA device with one port. Owns the lock that guards everything made from it, the
 * table of memory keys, the queue pairs, the timers, and the network below. Any thread may call it.
 */
public final class SoftDevice implements VerbsDevice {
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

  /** Addresses of regions start on pages, and reveal nothing about others. */
  private static final long PAGE_BYTES = 4096;

  /** A set-up step under the lock. */
  interface LockedStep {
    void run() throws VerbsException;
  }

  /** A set-up step under the lock that returns something. */
  public interface LockedCall<T> {
    T call() throws VerbsException;
  }

  private final String name;
  private final Network network;
  private final DeviceLock lock = new DeviceLock();
  private final MemoryKeys keys;
  private final QueuePairTable queuePairs;
  private final DeviceTimers timers;
  private final AsyncEventQueue events = new AsyncEventQueue();
  private int children;
  private int readRound;
  private volatile boolean isClosed;

  public SoftDevice(String name, Network network) {
    this.name = name;
    this.network = network;
    this.keys = new MemoryKeys(network.random());
    this.queuePairs = new QueuePairTable(name, network.random());
    this.timers = new DeviceTimers(this, network);
    network.attach(this);
    LOG.info("soft device {} open, peers connect to port {}", name, network.wirePort());
  }

  public DeviceLock lock() {
    return lock;
  }

  public Network network() {
    return network;
  }

  ProgressEngine progress() {
    return network.progress();
  }

  MemoryKeys keys() {
    return keys;
  }

  public long nowNs() {
    return network.nowNs();
  }

  public QueuePairTable queuePairs() {
    return queuePairs;
  }

  public DeviceTimers timers() {
    return timers;
  }

  AsyncEventQueue events() {
    return events;
  }

  public void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  void lockedThrowing(LockedStep step) throws VerbsException {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  public <T> T lockedResult(LockedCall<T> call) throws VerbsException {
    lock.lock();
    try {
      requireOpen();
      return call.call();
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

  void childClosed() {
    children--;
  }

  /** See {@link FrameStream#readNow}. */
  int nextReadRound() {
    return ++readRound;
  }

  long nextAddress() {
    // Below 2^62, so that it does not wrap; where regions overlap, their keys differ.
    return (network.random().nextLong() >>> 2) / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES;
  }

  void logStreamLoss(RcEngine engine, String why) {
    LOG.debug("queue pair {} of {} lost its stream: {}", engine.number(), name, why);
  }

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

  /** The ends of the stream that a queue pair is to have. */
  StreamAddress streamAddress(int queuePair, ReadyToReceiveAttributes wanted)
      throws VerbsException {
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
  public CompletionEvents createCompletionEvents() {
    return new SoftCompletionEvents();
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
  public boolean isOrderlyShutdown(int vendorError) {
    return vendorError == PeerLoss.ORDERLY_SHUTDOWN.vendorError();
  }

  @Override
  public Optional<AsyncEvent> pollAsyncEvent() throws VerbsException {
    return lockedResult(() -> events.poll());
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
