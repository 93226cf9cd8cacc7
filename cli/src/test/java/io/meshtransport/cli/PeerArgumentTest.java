// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses as people write them. */
class PeerArgumentTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.1.2, 10.0.1.2, 4791",
    "10.0.1.2:4800, 10.0.1.2, 4800",
    "node-b.example, node-b.example, 4791",
    "node-b:1, node-b, 1",
    "node-b:65535, node-b, 65535",
    "[fd00::2], fd00::2, 4791",
    "[fd00::2]:4800, fd00::2, 4800",
    "[fe80::2%eth1]:4800, fe80::2%eth1, 4800",
    "fd00::2, fd00::2, 4791",
    "fe80::2%eth1, fe80::2%eth1, 4791",
    "::1, ::1, 4791",
    "' 10.0.1.2 ', 10.0.1.2, 4791",
  })
  void shouldRead(String text, String host, int port) throws Exception {
    assertEquals(new PeerArgument(host, port), PeerArgument.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":4791",
        "node-b:",
        "node-b:0",
        "node-b:65536",
        "node-b:123456",
        "node-b:x",
        "node b",
        "[fd00::2",
        "[node-b]:1",
        "http://node-b"
      })
  void shouldRefuse(String text) {
    TransportException refused =
        assertThrows(TransportException.class, () -> PeerArgument.parse(text));
    assertEquals(TransportException.Reason.BAD_HANDLE, refused.reason());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.1.2", "node-b:4800", "[fe80::2%eth1]", "[fd00::2]:4800"})
  void shouldWriteWhatItReads(String text) throws Exception {
    assertEquals(text, PeerArgument.parse(text).toString());
  }

  @Test
  void shouldLeaveOutTheDefaultPort() throws Exception {
    assertEquals("node-b", PeerArgument.parse("node-b:4791").toString());
  }
}
