// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.verbs.VerbsDevice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Soft devices connected by cables that exist in memory only, in virtual time. The seed and the
 * order of calls decide all that happens, so that a run can be repeated; {@link #traceHash()} shows
 * whether it was. Time stops until a caller polls a device that has nothing to report, or waits;
 * then the next event happens.
 *
 * <p>Faults: {@link #cut} and {@link #mend} a cable, {@link #stop} and {@link #resume} a program,
 * {@link #kill} it, {@link #corrupt} a frame. Confined to one thread.
 */
public final class SimulatedFabric {
  /** Something that happens at its time; of two at the same time the one planned first. */
  private record Event(long atNs, long order, SimulatedNode where, Runnable what)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return atNs != other.atNs ? Long.compare(atNs, other.atNs) : Long.compare(order, other.order);
    }
  }

  /** Two devices, in either order. */
  private record Pair(String one, String other) {
    static Pair of(String one, String other) {
      return one.compareTo(other) < 0 ? new Pair(one, other) : new Pair(other, one);
    }
  }

  private final SimulatedCable cable;
  private final Random random;
  private final Map<String, SimulatedNode> nodes = new HashMap<>();
  private final List<SimulatedNode> order = new ArrayList<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Map<StreamAddress, SimulatedStream> unpaired = new HashMap<>();
  private final Set<Pair> cuts = new HashSet<>();
  private long planned;
  private long nowNs;
  private long traceHash;
  private double lossPercent;

  /**
   * @param seed decides jitter, numbers and keys
   */
  public SimulatedFabric(long seed, SimulatedCable cable) {
    this.random = new Random(seed);
    this.cable = cable;
  }

  /**
   * Opens a device; every other device of the fabric can be reached from it by a cable of its own.
   *
   * @param name of no other device that is open
   */
  public VerbsDevice open(String name) {
    if (nodes.containsKey(name)) {
      throw new IllegalArgumentException("device " + name + " is open");
    }
    SimulatedNode node = new SimulatedNode(this, name, order.size() + 1);
    nodes.put(name, node);
    order.add(node);
    return new SoftDevice(name, node);
  }

  /** Virtual nanoseconds since the fabric was made. */
  public long nowNs() {
    return nowNs;
  }

  /** A number made of everything that has happened and when. */
  public long traceHash() {
    return traceHash;
  }

  /**
   * From now on so many of a hundred segments are lost on every cable; TCP sends them again, and
   * what comes behind them waits.
   */
  public void lose(double percent) {
    lossPercent = percent;
  }

  boolean loses() {
    return lossPercent > 0 && random.nextDouble() * 100 < lossPercent;
  }

  /** Nothing passes between two devices until {@link #mend}; then TCP sends it again. */
  public void cut(String one, String other) {
    cuts.add(Pair.of(one, other));
  }

  public void mend(String one, String other) {
    cuts.remove(Pair.of(one, other));
    order.forEach(SimulatedNode::cableMended);
  }

  /** The device's program stops: it does nothing, while its host still answers. */
  public void stop(String name) {
    node(name).stop();
  }

  public void resume(String name) {
    node(name).resume();
  }

  /** The device's program ends; its host closes its connections. */
  public void kill(String name) {
    node(name).kill();
  }

  /** The next frame that the device sends arrives damaged. */
  public void corrupt(String name) {
    node(name).corruptNextFrame();
  }

  private SimulatedNode node(String name) {
    SimulatedNode node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException("no device " + name + " is open");
    }
    return node;
  }

  /**
   * Lets the next thing happen.
   *
   * @return false if nothing is planned
   */
  public boolean step() {
    return stepUntil(Long.MAX_VALUE);
  }

  /** Lets everything happen until a moment, and then it is that moment. */
  public void runUntil(long untilNs) {
    while (stepUntil(untilNs)) {}
    nowNs = Math.max(nowNs, untilNs);
  }

  /** As {@link #step}, unless the next event is later than that. */
  boolean stepUntil(long untilNs) {
    Event event = events.peek();
    SimulatedNode timer = earliestTimer();
    long timerNs = timer == null ? Long.MAX_VALUE : timer.timerNs();
    long eventNs = event == null ? Long.MAX_VALUE : event.atNs();
    if (Math.min(timerNs, eventNs) > untilNs || event == null && timer == null) {
      return false;
    }
    if (eventNs <= timerNs) {
      events.remove();
      happen(eventNs, event.where(), event.what());
    } else {
      happen(timerNs, timer, timer::runTimers);
    }
    return true;
  }

  private void happen(long atNs, SimulatedNode where, Runnable what) {
    nowNs = Math.max(nowNs, atNs);
    traceHash = traceHash * 31 + nowNs * 17 + where.index();
    where.happen(what);
  }

  private SimulatedNode earliestTimer() {
    SimulatedNode earliest = null;
    for (SimulatedNode node : order) {
      if (node.timerNs() != DeviceTimers.NEVER
          && (earliest == null || node.timerNs() < earliest.timerNs())) {
        earliest = node;
      }
    }
    return earliest;
  }

  void plan(long atNs, SimulatedNode where, Runnable what) {
    events.add(new Event(atNs, planned++, where, what));
  }

  RandomGenerator random() {
    return random;
  }

  boolean isCut(SimulatedNode one, SimulatedNode other) {
    return cuts.contains(Pair.of(one.name(), other.name()));
  }

  /** When a frame that begins to go in at {@code fromNs} has gone in. */
  long sentNs(long fromNs, int bytes) {
    return fromNs + cable.serialisationNs(bytes);
  }

  /** How long it then is on its way. */
  long delayNs() {
    return cable.delayNs() + (cable.jitterNs() == 0 ? 0 : random.nextLong(cable.jitterNs()));
  }

  void pair(SimulatedStream stream) {
    SimulatedStream peer = unpaired.remove(stream.ends().reversed());
    if (peer == null) {
      unpaired.put(stream.ends(), stream);
    } else {
      peer.attachPeer(stream);
      stream.attachPeer(peer);
    }
  }

  void unpair(SimulatedStream stream) {
    unpaired.remove(stream.ends(), stream);
  }

  void closed(SimulatedNode node) {
    nodes.remove(node.name());
    order.remove(node);
    events.removeIf(event -> event.where() == node);
  }
}
