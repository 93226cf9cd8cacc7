// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.EventWaiter;
import io.meshtransport.softverbs.rc.FrameStream;
import io.meshtransport.softverbs.rc.Network;
import io.meshtransport.softverbs.rc.ProgressEngine;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.verbs.WireKey;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The network of one soft device of a {@link SimulatedFabric}. Confined to one thread. */
final class SimulatedNode implements Network, ProgressEngine {
  /** 198.18.0.0, a network for tests (RFC 2544), in the mapped form. */
  private static final long FIRST_ADDRESS = 0xFFFF_C612_0000L;

  private static final int FIRST_PORT = 40_000;

  private final SimulatedFabric fabric;
  private final String name;
  private final int index;
  private final List<SimulatedStream> streams = new ArrayList<>();
  private final List<Runnable> missed = new ArrayList<>();
  private SoftDevice device;
  private SimulatedProgram program = SimulatedProgram.RUNNING;
  private boolean isNextFrameCorrupt;

  SimulatedNode(SimulatedFabric fabric, String name, int index) {
    this.fabric = fabric;
    this.name = name;
    this.index = index;
  }

  SimulatedFabric fabric() {
    return fabric;
  }

  String name() {
    return name;
  }

  int index() {
    return index;
  }

  boolean isDead() {
    return program == SimulatedProgram.DEAD;
  }

  void stop() {
    become(SimulatedProgram.STOPPED);
  }

  void resume() {
    become(SimulatedProgram.RUNNING);
    List<Runnable> caughtUp = List.copyOf(missed);
    missed.clear();
    caughtUp.forEach(this::happen);
  }

  void kill() {
    become(SimulatedProgram.DEAD);
    List.copyOf(streams).forEach(SimulatedStream::hangUp);
  }

  private void become(SimulatedProgram next) {
    if (!program.mayBecome(next)) {
      throw new IllegalStateException(
          "program " + name + " cannot go from " + program + " to " + next);
    }
    program = next;
  }

  void corruptNextFrame() {
    isNextFrameCorrupt = true;
  }

  /** Whether the frame to be sent now is to be damaged. */
  boolean consumeCorruption() {
    boolean isCorrupt = isNextFrameCorrupt;
    isNextFrameCorrupt = false;
    return isCorrupt;
  }

  void cableMended() {
    streams.forEach(SimulatedStream::cableMended);
  }

  /** Something happens here, now or, while the program is stopped, when it goes on. */
  void happen(Runnable what) {
    switch (program) {
      case RUNNING -> device.locked(what);
      case STOPPED -> missed.add(what);
      case DEAD -> {}
    }
  }

  /** When the device's next timer is due; a program that does not run has none. */
  long timerNs() {
    return program == SimulatedProgram.RUNNING ? device.timers().earliestNs() : DeviceTimers.NEVER;
  }

  void runTimers() {
    device.timers().run(fabric.nowNs());
  }

  @Override
  public void attach(SoftDevice newDevice) {
    device = newDevice;
  }

  @Override
  public List<GidEntry> gidTable() {
    Gid gid = new Gid(0, FIRST_ADDRESS + index);
    return List.of(new GidEntry(gid, 0, GidType.SOFT, name, index));
  }

  @Override
  public PortState portState() {
    return PortState.ACTIVE;
  }

  @Override
  public int activeMtuBytes() {
    return 4096;
  }

  @Override
  public int wirePort() {
    return FIRST_PORT + index;
  }

  @Override
  public RandomGenerator random() {
    return fabric.random();
  }

  @Override
  public long nowNs() {
    return fabric.nowNs();
  }

  @Override
  public FrameStream connect(StreamListener listener, StreamAddress ends, WireKey key) {
    SimulatedStream stream = new SimulatedStream(this, listener, ends);
    streams.add(stream);
    fabric.pair(stream);
    // Nothing but the peer's own connect is missing; frames pass as soon as that has happened.
    listener.onStreamUp();
    return stream;
  }

  void ended(SimulatedStream stream) {
    streams.remove(stream);
    fabric.unpair(stream);
  }

  @Override
  public ProgressEngine progress() {
    return this;
  }

  @Override
  public boolean drive() {
    fabric.step();
    return true;
  }

  /** Each poll lets time pass. */
  @Override
  public int pollsPerDrive() {
    return 1;
  }

  @Override
  public void polled() {}

  @Override
  public boolean isLongUndriven() {
    return false;
  }

  @Override
  public void flushDeferred() {}

  @Override
  public boolean await(EventWaiter waiter, long timeoutNs) {
    long endNs = fabric.nowNs() + timeoutNs;
    while (!waiter.isOver() && fabric.stepUntil(endNs)) {}
    if (!waiter.isOver()) {
      fabric.runUntil(endNs);
    }
    return waiter.isOver();
  }

  @Override
  public void leave() {}

  @Override
  public void wakeWaiters() {}

  @Override
  public void timerArmed(long atNs) {}

  @Override
  public long onTimer(long nowNs) {
    return DeviceTimers.NEVER;
  }

  @Override
  public void close() {
    List.copyOf(streams).forEach(SimulatedStream::hangUp);
    fabric.closed(this);
  }
}
