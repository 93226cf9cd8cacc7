// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The port of a soft device of one network interface of this host, and not of another that has its
 * name later. Any thread.
 */
public final class NetdevPort implements DevicePort {
  /**
   * How long a reading of the kernel's state is used, in nanoseconds. A set-up needs it four times
   * at each end, and when many come together that was half of all they cost; what changes in this
   * time could as well have changed right after the reading.
   */
  static final long VALID_NS = 10_000_000;

  private record Reading(NetdevState state, long atNs) {}

  private final Supplier<NetdevState> kernel;
  private final LongSupplier clockNs;
  private volatile Reading last;

  public NetdevPort(String netdev, int ifindex) {
    this(() -> NetdevState.now(netdev, ifindex), System::nanoTime);
  }

  /**
   * @param kernel read at most once per {@link #VALID_NS} by one thread
   * @param clockNs monotonic, in nanoseconds
   */
  NetdevPort(Supplier<NetdevState> kernel, LongSupplier clockNs) {
    this.kernel = kernel;
    this.clockNs = clockNs;
  }

  @Override
  public List<GidEntry> gidTable() {
    return read().gidTable();
  }

  @Override
  public PortState state() {
    return read().state();
  }

  @Override
  public int activeMtuBytes() {
    return read().activeMtuBytes();
  }

  private NetdevState read() {
    Reading deferred = last;
    long nowNs = clockNs.getAsLong();
    if (deferred == null || nowNs - deferred.atNs() >= VALID_NS) {
      // Its age counts from before the reading. Several threads may read at once; none waits.
      deferred = new Reading(kernel.get(), nowNs);
      last = deferred;
    }
    return deferred.state();
  }
}
