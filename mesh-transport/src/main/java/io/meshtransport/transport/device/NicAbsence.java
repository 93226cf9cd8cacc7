// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.HostFingerprint;
import io.meshtransport.nic.HostInterface;
import io.meshtransport.nic.Nic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Judges whether an open NIC is gone from its host. Guarded by the lock of {@link LocalNics}. */
final class NicAbsence {
  /** What is absent for one look may have been hidden by the look itself. */
  private static final int ABSENT_LOOKS = 2;

  private final Map<OpenNic, Integer> absentLooks = new HashMap<>();

  /** Whether a NIC was absent for the first time, so that the next look is to read everything. */
  boolean isPending() {
    return !absentLooks.isEmpty();
  }

  /**
   * What a look says of a NIC.
   *
   * @param found the NICs that the look has found
   * @return why it is gone; empty if it is there, or absent for the first time
   */
  Optional<String> judge(OpenNic nic, List<Nic> found, HostFingerprint seen) {
    String why = whyAbsent(nic.nic(), seen);
    boolean isCertain = nic.events().isDeviceLost() || isReplaced(nic, found);
    if (why.isEmpty() && !isCertain) {
      absentLooks.remove(nic);
      return Optional.empty();
    }
    if (!isCertain && absentLooks.merge(nic, 1, Integer::sum) < ABSENT_LOOKS) {
      return Optional.empty();
    }
    absentLooks.remove(nic);
    return Optional.of(why.isEmpty() ? "its device has failed" : why);
  }

  /** Why a NIC is not of this host any more; empty if it is. */
  private static String whyAbsent(Nic was, HostFingerprint seen) {
    boolean isThere =
        was.ifindex() == 0
            ? seen.netdevs().contains(was.netdev())
            : seen.interfaces().stream()
                .anyMatch(
                    each ->
                        each.name().equals(was.netdev())
                            && (each.ifindex() == 0 || each.ifindex() == was.ifindex()));
    if (!isThere) {
      return newName(was, seen)
          .map(name -> "its interface is called " + name + " now")
          .orElse("its interface was removed");
    }
    boolean isRdma = !was.provider().equals(OpenNic.SOFTWARE);
    return isRdma && !seen.rdmaDevices().contains(was.device())
        ? "its RDMA device was removed"
        : "";
  }

  /** Another interface of the same name is there: this one is not. */
  private static boolean isReplaced(OpenNic nic, List<Nic> found) {
    String key = NicIndices.key(nic.nic());
    return found.stream().anyMatch(each -> NicIndices.key(each).equals(key) && !nic.isOf(each));
  }

  /** The name that an interface has now, if it was renamed. */
  static Optional<String> newName(Nic was, HostFingerprint seen) {
    return seen.interfaces().stream()
        .filter(each -> was.ifindex() != 0 && each.ifindex() == was.ifindex())
        .map(HostInterface::name)
        .filter(name -> !name.equals(was.netdev()))
        .findFirst();
  }
}
