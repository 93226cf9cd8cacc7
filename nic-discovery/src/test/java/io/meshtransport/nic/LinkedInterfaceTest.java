// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.config.NameFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkedInterfaceTest {
  @TempDir Path sysfs;

  private static HostInterface netdev(String name, int index, boolean up, boolean loopback) {
    return new HostInterface(name, index, up, loopback, 1500, List.of());
  }

  private final List<HostInterface> all =
      List.of(
          netdev("lo", 1, true, true),
          netdev("eth0", 2, true, false).withRoutes(new InterfaceRoutes(true, Set.of())),
          netdev("eth1", 3, true, false),
          netdev("eth2", 4, true, false),
          netdev("eth3", 5, false, false),
          netdev("br-0", 6, true, false),
          netdev("veth1", 7, true, false));

  private void write(String file, String text) throws IOException {
    Path path = sysfs.resolve("class/net/" + file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
  }

  @BeforeEach
  void describe() throws IOException {
    write("eth1/speed", "25000");
    write("eth1/operstate", "up");
    write("eth2/operstate", "lowerlayerdown");
    write("veth1/brport/state", "3");
    write("eth1/ifindex", "3");
  }

  private List<String> names(NameFilter filter) {
    return LinkedInterface.of(new Sysfs(sysfs), all, filter).stream()
        .map(each -> each.netdev().name())
        .toList();
  }

  @Test
  void shouldFindWhatMayBeTheEndOfACable() {
    List<LinkedInterface> found = LinkedInterface.of(new Sysfs(sysfs), all, NameFilter.ALL);
    assertEquals(List.of("eth1"), names(NameFilter.ALL));
    assertEquals(25_000, found.get(0).speedMbps());
  }

  @Test
  void shouldFindAnInterfaceOfTheDefaultRouteThatIsNamed() {
    assertEquals(List.of("eth0", "eth1"), names(NameFilter.parse("eth", false)));
    assertEquals(List.of("eth0"), names(NameFilter.parse("=eth0", false)));
  }

  @Test
  void shouldRefuseANegativeSpeed() {
    assertThrows(IllegalArgumentException.class, () -> new LinkedInterface(all.get(2), -1));
  }
}
