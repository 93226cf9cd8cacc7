// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The port of a soft device that stands for a network interface of this host: for that one, not for
 * another that has its name later. Any thread.
 */
final class NetdevPort implements DevicePort {
  /**
   * How long an answer of the kernel holds, in nanoseconds. A set-up asks four times at each end,
   * and when many come together that was half of all they cost; what changes in this time could as
   * well have changed right after the look.
   */
  static final long HOLDS_NS = 10_000_000;

  private record Look(NetdevState seen, long atNs) {}

  private final Supplier<NetdevState> kernel;
  private final LongSupplier clockNs;
  private volatile Look last;

  NetdevPort(String netdev, int ifindex) {
    this(() -> NetdevState.now(netdev, ifindex), System::nanoTime);
  }

  /**
   * @param kernel asked at most once per {@link #HOLDS_NS} by one thread
   * @param clockNs monotonic, in nanoseconds
   */
  NetdevPort(Supplier<NetdevState> kernel, LongSupplier clockNs) {
    this.kernel = kernel;
    this.clockNs = clockNs;
  }

  @Override
  public List<GidEntry> gidTable() {
    return look().gidTable();
  }

  @Override
  public PortState state() {
    return look().state();
  }

  @Override
  public int activeMtuBytes() {
    return look().activeMtuBytes();
  }

  private NetdevState look() {
    Look held = last;
    long nowNs = clockNs.getAsLong();
    if (held == null || nowNs - held.atNs() >= HOLDS_NS) {
      // Its age counts from before the kernel was asked. Several threads may ask; none waits.
      held = new Look(kernel.get(), nowNs);
      last = held;
    }
    return held.seen();
  }
}
