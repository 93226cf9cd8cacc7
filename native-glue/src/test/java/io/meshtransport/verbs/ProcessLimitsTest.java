// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessLimitsTest {
  @Test
  void shouldReadTheLimitsOfTheProcess(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("limits");
    Files.writeString(
        file,
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            1048576              1048576              files
        Max locked memory         8388608              unlimited            bytes
        """);
    assertEquals(new ProcessLimits("8388608 bytes", "1048576"), ProcessLimits.of(file));
    Files.writeString(file, "Max locked memory         unlimited            unlimited   bytes\n");
    assertEquals(new ProcessLimits("unlimited", "an unknown amount"), ProcessLimits.of(file));
    assertEquals("an unknown amount", ProcessLimits.of(folder.resolve("nothing")).lockedMemory());
  }
}
