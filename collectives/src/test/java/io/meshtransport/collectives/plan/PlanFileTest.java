// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanFileTest {
  @TempDir private Path folder;

  @Test
  void shouldReadWhatItWroteAndSayInWordsWhatItDoes() throws IOException {
    CollectivePlan plan = Planner.plan(Graphs.ring(5, 0.5), 0);
    Path file = folder.resolve("ring.plan");
    PlanFile.write(file, plan);
    assertEquals(plan, PlanFile.read(file));
    assertTrue(Files.readString(file).startsWith("# all-reduce: pipelined over "));
  }

  @Test
  void shouldSayWhichFileIsNoPlanAndWhy() throws IOException {
    Path file = folder.resolve("ring.plan");
    PlanFile.write(file, Planner.plan(Graphs.mesh(3), 0));
    String text = Files.readString(file);
    assertRefused(file, text.substring(0, text.length() - 5), "the length of the plan");
    assertRefused(file, text.substring(0, text.length() - 3) + "00\n", "its hash is");
    assertRefused(file, "# a plan\nxyz\n", "ring.plan: ");
    assertRefused(file, "", "it ends at byte 0");
    assertRefused(file, "0".repeat((16 << 20) + 1), "more than 16777216 bytes");
  }

  private static void assertRefused(Path file, String text, String reason) throws IOException {
    Files.writeString(file, text);
    IOException refusal = assertThrows(IOException.class, () -> PlanFile.read(file));
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    assertTrue(refusal.getMessage().startsWith(file.toString()), refusal.getMessage());
  }
}
