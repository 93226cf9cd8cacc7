// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

  @Test
  void shouldNameTheCablesOfAHostWithoutConfiguredAddressesWhereNobodyAnswers() {
    TransportException refused =
        new TransportException(TransportException.Reason.PEER_UNREACHABLE, "Nobody.");
    NicDescription nic =
        new NicDescription("to-b", "to-b", "soft", List.of("fe80::1%to-b/64"), 0, 1L << 30);
    Transport transport =
        (Transport)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Transport.class},
                (self, method, arguments) ->
                    method.getName().equals("nics")
                        ? List.of(nic)
                        : CompletableFuture.failedFuture(refused));

    TransportException failure =
        assertThrows(
            TransportException.class,
            () ->
                PeerArgument.parse("10.9.9.9").query(transport, Duration.ofSeconds(30), () -> {}));

    assertEquals(
        "Nobody. This host has fe80::%to-b/64 (to-b), and 10.9.9.9 is in none of them: give the"
            + " peer's address at the cable between you.",
        failure.getMessage());
  }
}
