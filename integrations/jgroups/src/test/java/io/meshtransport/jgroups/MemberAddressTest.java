// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.session.directory.DirectoryMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

class MemberAddressTest {
  @Test
  void shouldReadWhatItWrote() throws IOException {
    Address plain = UUID.randomUUID();
    assertEquals(Optional.of(plain), MemberAddress.read(MemberAddress.write(plain)));
    ExtendedUUID placed =
        ExtendedUUID.randomUUID("x").put("rack-id", "r1".getBytes(StandardCharsets.UTF_8));
    byte[] written = MemberAddress.write(placed);
    assertTrue(written.length < DirectoryMessage.MAX_MEMBER_BYTES, written.length + " bytes");
    assertEquals(Optional.of(placed), MemberAddress.read(written));
  }

  @Test
  void shouldWriteNothingForNone() throws IOException {
    assertEquals(0, MemberAddress.write(null).length);
    assertEquals(Optional.empty(), MemberAddress.read(new byte[0]));
  }

  @Test
  void shouldRefuseEveryTruncationAndEndOnAnyFirstByte() {
    byte[] written = MemberAddress.write(new UUID(1, 2));
    for (int length = 1; length < written.length; length++) {
      byte[] part = Arrays.copyOf(written, length);
      assertThrows(IOException.class, () -> MemberAddress.read(part), length + " bytes");
    }
    for (int value = 0; value < 256; value++) {
      byte[] changed = written.clone();
      changed[0] = (byte) value;
      try {
        MemberAddress.read(changed);
      } catch (IOException e) {
        assertTrue(e.getMessage() == null || !e.getMessage().isEmpty(), e::toString);
      }
    }
  }
}
