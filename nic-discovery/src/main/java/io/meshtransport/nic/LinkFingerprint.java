// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shows cheaply whether {@link LinkedInterface#live} may have another answer than before: two small
 * files for each interface and two for all. Equal fingerprints mean the same interfaces with the
 * same operational states, MTUs, IPv6 addresses and IPv4 subnets; speeds may differ. A value.
 *
 * @param links operational states and MTUs by interface
 * @param tables the kernel's tables of addresses and routes, as text
 */
public record LinkFingerprint(Map<String, String> links, List<String> tables) {
  private static final Path PROC = Path.of("/proc");

  /** IPv6 addresses with their flags, and routes of IPv4: one for each subnet (proc(5)). */
  private static final List<String> TABLES = List.of("net/if_inet6", "net/route");

  public LinkFingerprint {
    links = Map.copyOf(links);
    tables = List.copyOf(tables);
  }

  /**
   * This host now.
   *
   * @throws java.io.UncheckedIOException if the process is out of file descriptors
   */
  public static LinkFingerprint live() {
    return of(new Sysfs(Discovery.LIVE), PROC);
  }

  static LinkFingerprint of(Sysfs sysfs, Path proc) {
    Map<String, String> links = new TreeMap<>();
    for (String name : sysfs.names("class/net")) {
      String folder = "class/net/" + name;
      links.put(
          name,
          sysfs.text(folder + "/operstate").orElse("")
              + " "
              + sysfs.text(folder + "/mtu").orElse(""));
    }
    return new LinkFingerprint(
        links, TABLES.stream().map(table -> text(proc.resolve(table))).toList());
  }

  private static String text(Path table) {
    try {
      return Files.readString(table);
    } catch (IOException e) {
      DescriptorsUsedUp.rethrow(e);
      return ""; // A kernel without that family.
    }
  }
}
