// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkFingerprintTest {
  @Test
  void shouldDifferOnceALinkAnAddressOrASubnetDoes(@TempDir Path root, @TempDir Path proc)
      throws Exception {
    SysfsTree tree = new SysfsTree(root);
    tree.write("class/net/eth0/operstate", "up");
    Files.createDirectory(proc.resolve("net"));
    LinkFingerprint before = now(tree, proc);
    assertEquals(before, now(tree, proc));
    tree.write("class/net/eth0/operstate", "down");
    LinkFingerprint cut = now(tree, proc);
    assertNotEquals(before, cut);
    tree.write("class/net/eth1/operstate", "up");
    LinkFingerprint second = now(tree, proc);
    assertNotEquals(cut, second);
    tree.write("class/net/eth1/mtu", "9000");
    LinkFingerprint jumbo = now(tree, proc);
    assertNotEquals(second, jumbo);
    Files.writeString(proc.resolve("net/if_inet6"), "fe80...1 02 40 20 80 eth0");
    LinkFingerprint addressed = now(tree, proc);
    assertNotEquals(jumbo, addressed);
    Files.writeString(proc.resolve("net/route"), "eth0 0001000A 00000000 0001 0 0 0 00FFFFFF");
    assertNotEquals(addressed, now(tree, proc));
  }

  @Test
  void shouldReadThisHost() {
    assertEquals(LinkFingerprint.live(), LinkFingerprint.live());
  }

  private static LinkFingerprint now(SysfsTree tree, Path proc) {
    return LinkFingerprint.of(new Sysfs(tree.root()), proc);
  }
}
