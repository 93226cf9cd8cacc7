// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import io.meshtransport.config.NameFilter;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.nic.LinkFingerprint;
import io.meshtransport.nic.LinkedInterface;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Which interfaces may be ends of cables: scans all when one of them loses its carrier, which is
 * polled ten times a second, when links or addresses change, which is polled once a second, and
 * every five seconds for what else there is, as speeds.
 */
final class InterfaceWatch {
  /** Equal to no fingerprint. */
  private static final Object NONE = new Object();

  static final long SCAN_NS = TimeUnit.SECONDS.toNanos(5);
  static final long CHANGE_NS = TimeUnit.SECONDS.toNanos(1);
  static final long CARRIER_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Supplier<List<LinkedInterface>> scan;
  private final Supplier<Object> fingerprint;
  private final Predicate<LinkedInterface> hasCarrier;
  private Object last = NONE;
  private List<LinkedInterface> found = List.of();
  private List<CableInterface> cables = List.of();
  private long nextScanNs;
  private long nextChangeNs;
  private long nextPollNs;

  InterfaceWatch(NameFilter ifname) {
    this(() -> LinkedInterface.live(ifname), LinkFingerprint::live, new LiveCarriers()::has);
  }

  /**
   * @param fingerprint equal as long as a scan would find the same, as far as is cheap to know
   */
  InterfaceWatch(
      Supplier<List<LinkedInterface>> scan,
      Supplier<Object> fingerprint,
      Predicate<LinkedInterface> hasCarrier) {
    this.scan = scan;
    this.fingerprint = fingerprint;
    this.hasCarrier = hasCarrier;
  }

  /**
   * Carriers of this host's interfaces, by one system call each: the flags of an interface have
   * IFF_RUNNING while it is operational (netdevice(7)).
   */
  private static final class LiveCarriers {
    private final Map<Integer, NetworkInterface> known = new HashMap<>();

    boolean has(LinkedInterface one) {
      try {
        NetworkInterface kernels =
            known.computeIfAbsent(one.netdev().ifindex(), LiveCarriers::byIndex);
        if (kernels != null && kernels.isUp()) {
          return true;
        }
      } catch (SocketException e) {
        // It is gone, or has another name.
      }
      known.remove(one.netdev().ifindex());
      return false;
    }

    private static NetworkInterface byIndex(int index) {
      try {
        return NetworkInterface.getByIndex(index);
      } catch (SocketException e) {
        return null;
      }
    }
  }

  /** The interfaces of now, if it is time to say and they have changed. */
  Optional<List<CableInterface>> poll(long nowNs) {
    if (nowNs < nextPollNs) {
      return Optional.empty();
    }
    nextPollNs = nowNs + CARRIER_NS;
    boolean isChanged = isChanged(nowNs);
    if (nowNs < nextScanNs && !isChanged && found.stream().allMatch(hasCarrier)) {
      return Optional.empty();
    }
    nextScanNs = nowNs + SCAN_NS;
    found = scan();
    List<CableInterface> now = found.stream().map(InterfaceWatch::cable).toList();
    if (now.equals(cables)) {
      return Optional.empty();
    }
    cables = now;
    return Optional.of(now);
  }

  private boolean isChanged(long nowNs) {
    if (nowNs < nextChangeNs) {
      return false;
    }
    nextChangeNs = nowNs + CHANGE_NS;
    return !fingerprint.get().equals(last);
  }

  /**
   * Scans, and keeps the fingerprint of what was scanned: a cable may be cut and plugged in again
   * between two of those that are taken in turn. Where something changes meanwhile, none is kept.
   */
  private List<LinkedInterface> scan() {
    Object before = fingerprint.get();
    List<LinkedInterface> now = scan.get();
    last = before.equals(fingerprint.get()) ? before : NONE;
    return now;
  }

  private static CableInterface cable(LinkedInterface each) {
    return new CableInterface(
        each.netdev().ifindex(),
        each.netdev().name(),
        each.netdev().mtu(),
        each.speedMbps(),
        each.netdev().addresses());
  }

  long nextDueNs() {
    return nextPollNs;
  }
}
