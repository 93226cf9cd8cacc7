// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.WireKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/** A network without wire and clock: the test sets the time and plays every peer. */
final class ScriptedNetwork implements Network, ProgressEngine {
  static final Gid GID = new Gid(0, 0xFFFF_C612_0001L);
  static final int WIRE_PORT = 40_000;

  /** What happens in a wait, before it ends. */
  interface Wait {
    void happen(EventWaiter waiter, long timeoutNs);
  }

  final List<ScriptedStream> streams = new ArrayList<>();
  final List<Long> armed = new ArrayList<>();
  final List<SoftMemoryRegion> detached = new ArrayList<>();
  RandomGenerator random = new Random(1);
  PortState portState = PortState.ACTIVE;

  /** Another's, if two devices are to share it. */
  ProgressEngine engine = this;

  Wait wait = (waiter, timeoutNs) -> {};
  long nowNs;
  boolean isDriven = true;
  boolean isLongUndriven;
  int pollsPerDrive = Integer.MAX_VALUE;
  int drives;
  int polls;
  int flushesOfDeferred;
  boolean hasDeferred;
  int leaves;
  int waits;
  int closes;
  volatile int wakes;
  int endsOfOwnWaits;

  /** The result of {@link #onTimer}. */
  long nextTimerNs = DeviceTimers.NEVER;

  /** What {@link #onTimer} throws, or null. */
  RuntimeException failure;

  @Override
  public void attach(SoftDevice device) {}

  @Override
  public List<GidEntry> gidTable() {
    return List.of(new GidEntry(GID, 3, GidType.SOFT, "scripted0", 1));
  }

  @Override
  public PortState portState() {
    return portState;
  }

  @Override
  public int activeMtuBytes() {
    return 1024;
  }

  @Override
  public int wirePort() {
    return WIRE_PORT;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public FrameStream connect(StreamListener listener, StreamAddress ends, WireKey key) {
    ScriptedStream stream = new ScriptedStream(listener, ends, key);
    streams.add(stream);
    return stream;
  }

  @Override
  public void detach(SoftMemoryRegion region) {
    detached.add(region);
  }

  @Override
  public ProgressEngine progress() {
    return engine;
  }

  @Override
  public boolean drive() {
    drives++;
    return isDriven;
  }

  @Override
  public int pollsPerDrive() {
    return pollsPerDrive;
  }

  @Override
  public void polled() {
    polls++;
  }

  @Override
  public boolean isLongUndriven() {
    return isLongUndriven;
  }

  @Override
  public boolean hasDeferred() {
    return hasDeferred;
  }

  @Override
  public void flushDeferred() {
    flushesOfDeferred++;
  }

  @Override
  public boolean await(EventWaiter waiter, long timeoutNs) {
    waits++;
    wait.happen(waiter, timeoutNs);
    return waiter.isOver();
  }

  @Override
  public void leave() {
    leaves++;
  }

  @Override
  public void endOwnWait() {
    endsOfOwnWaits++;
  }

  @Override
  public void wakeWaiters() {
    wakes++;
  }

  @Override
  public long onTimer(long nowNs) {
    if (failure != null) {
      throw failure;
    }
    return nextTimerNs;
  }

  @Override
  public void timerArmed(long atNs) {
    armed.add(atNs);
  }

  @Override
  public void close() {
    closes++;
  }
}
