// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.OptionalInt;

/**
 * One cable between two nodes: a subnet of its own, unless somebody was careless.
 *
 * @param a one end
 * @param b the other end, at another node
 * @param rateMbps what the cable carries in each direction, in megabits per second; empty for as
 *     much as the host can
 */
public record Cable(CableEnd a, CableEnd b, OptionalInt rateMbps) {
  /** Ethernet's default. */
  public static final int DEFAULT_MTU_BYTES = 1500;

  public Cable {
    if (a.node().equals(b.node())) {
      throw new IllegalArgumentException("a cable from " + a.node() + " to itself");
    }
    if (rateMbps.isPresent() && rateMbps.getAsInt() < 1) {
      throw new IllegalArgumentException("a rate of " + rateMbps.getAsInt() + " Mb/s");
    }
  }

  /** A cable with the usual MTU and no limit to its rate; addresses as in {@code 10.77.1.1/24}. */
  public static Cable between(String nodeA, String addressA, String nodeB, String addressB) {
    return new Cable(
        CableEnd.of(nodeA, addressA, DEFAULT_MTU_BYTES),
        CableEnd.of(nodeB, addressB, DEFAULT_MTU_BYTES),
        OptionalInt.empty());
  }

  /** The same cable with other MTUs. */
  public Cable withMtu(int mtuBytesA, int mtuBytesB) {
    return new Cable(
        new CableEnd(a.node(), a.address(), mtuBytesA),
        new CableEnd(b.node(), b.address(), mtuBytesB),
        rateMbps);
  }

  /** The same cable with a limit to its rate. */
  public Cable withRate(int megabitsPerSecond) {
    return new Cable(a, b, OptionalInt.of(megabitsPerSecond));
  }

  /** Whether it runs between these two, in either direction. */
  public boolean joins(String one, String other) {
    return a.node().equals(one) && b.node().equals(other)
        || a.node().equals(other) && b.node().equals(one);
  }

  /** The end at a node. */
  public CableEnd end(String node) {
    if (!touches(node)) {
      throw new IllegalArgumentException(this + " does not reach " + node);
    }
    return a.node().equals(node) ? a : b;
  }

  /** The node at the other end. */
  public String peerOf(String node) {
    return end(node) == a ? b.node() : a.node();
  }

  /** Whether it is plugged in at a node. */
  public boolean touches(String node) {
    return a.node().equals(node) || b.node().equals(node);
  }

  /** The subnet as the first end sees it, as in {@code 10.77.1.0/24}. */
  public String subnet() {
    return a.address().subnet();
  }

  @Override
  public String toString() {
    return a.node() + "-" + b.node() + " " + subnet();
  }
}
