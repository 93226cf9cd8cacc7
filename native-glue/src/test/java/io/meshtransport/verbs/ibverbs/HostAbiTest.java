// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostAbiTest {
  @Test
  void shouldKnowTheTwoProcessors() throws VerbsException {
    assertEquals(320, HostAbi.of("Linux", "amd64", ByteOrder.LITTLE_ENDIAN).abiCompat());
    assertEquals(328, HostAbi.of("Linux", "aarch64", ByteOrder.LITTLE_ENDIAN).abiCompat());
  }

  @ParameterizedTest
  @CsvSource({"Linux,riscv64", "Linux,x86", "Mac OS X,aarch64", "Windows 11,amd64"})
  void shouldRefuseOthers(String system, String processor) {
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> HostAbi.of(system, processor, ByteOrder.LITTLE_ENDIAN));
    assertEquals(Errno.EOPNOTSUPP, refusal.errno());
    assertTrue(refusal.getMessage().contains(system + " on " + processor));
  }

  @Test
  void shouldRefuseBigEndianHosts() {
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> HostAbi.of("Linux", "aarch64", ByteOrder.BIG_ENDIAN));
    assertTrue(refusal.getMessage().contains("BIG_ENDIAN"), refusal.getMessage());
  }
}
