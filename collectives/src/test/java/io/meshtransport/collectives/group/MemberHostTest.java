// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link MemberHost}. */
class MemberHostTest {
  private static MemberHost host(String id, int processors) {
    return new MemberHost(id, processors);
  }

  @Test
  void shouldCountTheMembersOfEachHost() {
    assertFalse(MemberHost.isAnyOversubscribed(List.of(host("k", 2), host("k", 2))));
    assertTrue(
        MemberHost.isAnyOversubscribed(
            List.of(host("k", 2), host("l", 8), host("k", 2), host("k", 2))));
    assertFalse(MemberHost.isAnyOversubscribed(List.of(host("k", 1), host("l", 1), host("m", 1))));
  }

  @Test
  void shouldTakeTheLeastOfWhatMembersOfAHostMayUse() {
    assertTrue(MemberHost.isAnyOversubscribed(List.of(host("k", 8), host("k", 1))));
  }

  @Test
  void shouldTakeMembersOfUnknownHostsForAlone() {
    assertFalse(MemberHost.isAnyOversubscribed(List.of(host("", 1), host("", 1), host("", 1))));
  }

  @Test
  void shouldReadTheIdOfTheKernel(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("boot_id");
    assertEquals(host("", 3), MemberHost.of(file, 3));
    Files.writeString(file, "4f1c\n");
    assertEquals(host("4f1c", 3), MemberHost.of(file, 3));
    Files.writeString(file, "x".repeat(65));
    assertEquals(host("", 3), MemberHost.of(file, 3));
    assertEquals(MemberHost.here(), MemberHost.here());
    assertThrows(IllegalArgumentException.class, () -> host("k", 0));
    assertThrows(IllegalArgumentException.class, () -> host("x".repeat(65), 1));
  }
}
