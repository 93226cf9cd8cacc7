// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import io.meshtransport.config.NameFilter;
import java.util.List;
import java.util.Objects;

/**
 * A network interface of this host that is up and has a carrier, and may be an end of a cable of
 * the mesh. A value.
 *
 * @param netdev as the kernel shows it; may have no address but a link-local one, or none at all
 * @param speedMbps megabits per second, 0 if the driver does not report it
 */
public record LinkedInterface(HostInterface netdev, int speedMbps) {
  public LinkedInterface {
    Objects.requireNonNull(netdev, "netdev");
    if (speedMbps < 0) {
      throw new IllegalArgumentException(netdev.name() + ": speed " + speedMbps + " is negative");
    }
  }

  /**
   * The interfaces of this host now, in the order of their indices: neither loopback nor bridges
   * nor their ports. Interfaces of a default route reach everywhere and count only if the filter
   * names them.
   *
   * @param ifname MESH_IFNAME
   * @throws java.io.UncheckedIOException if the kernel refuses to list them
   */
  public static List<LinkedInterface> live(NameFilter ifname) {
    return of(new Sysfs(Discovery.LIVE), LiveHost.interfaces(), ifname);
  }

  static List<LinkedInterface> of(Sysfs sysfs, List<HostInterface> all, NameFilter ifname) {
    boolean isNamed = !ifname.equals(NameFilter.ALL);
    return all.stream()
        .filter(each -> each.up() && !each.loopback() && each.ifindex() > 0)
        .filter(each -> ifname.accepts(each.name()))
        .filter(each -> isNamed || !each.routes().isDefault())
        .map(each -> new Candidate(each, new Netdev(sysfs, each)))
        .filter(each -> !each.files().isBridge() && !each.files().isCut())
        .map(each -> new LinkedInterface(each.host(), each.files().speedMbps()))
        .toList();
  }

  /** An interface and its files in sysfs. */
  private record Candidate(HostInterface host, Netdev files) {}
}
