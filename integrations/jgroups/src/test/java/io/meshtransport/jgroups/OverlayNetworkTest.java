// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OverlayNetworkTest {
  /** Computed apart from this code, from the published definitions of both functions. */
  @ParameterizedTest
  @CsvSource({
    "198.18.0.0/15, a, 198.18.164.22",
    "198.18.0.0/15, b, 198.18.234.11",
    "198.18.0.0/15, node-1, 198.19.193.16",
    "198.18.0.0/15, knöten, 198.18.57.57",
    "10.0.0.0/8, a, 10.19.138.58",
    "10.0.0.0/8, node-1, 10.98.202.132",
    "192.168.7.4/30, a, 192.168.7.6",
    "192.168.7.4/30, knöten, 192.168.7.5",
  })
  void shouldGiveANameTheSameAddressOnEveryHost(String network, String name, String address) {
    assertEquals(address + ":4791", OverlayNetwork.parse(network).addressOf(name, 4791).toString());
  }

  @Test
  void shouldNeverGiveOutTheNetworkOrTheBroadcastAddress() {
    OverlayNetwork smallest = OverlayNetwork.parse("192.168.7.4/30");
    for (int number = 0; number < 1000; number++) {
      int last = smallest.addressOf("n" + number, 1).getIpAddress().getAddress()[3];
      assertTrue(last == 5 || last == 6, "n" + number + " got host " + last);
    }
  }

  @Test
  void shouldContainEveryAddressThatItGives() {
    for (String text : new String[] {OverlayNetwork.DEFAULT, "200.1.2.128/25", "10.0.0.0/8"}) {
      OverlayNetwork network = OverlayNetwork.parse(text);
      for (int number = 0; number < 1000; number++) {
        assertTrue(network.contains(network.addressOf("n" + number, 1)), text + " n" + number);
      }
    }
  }

  private static InetAddress address(int... octets) throws UnknownHostException {
    byte[] bytes = new byte[octets.length];
    for (int i = 0; i < octets.length; i++) {
      bytes[i] = (byte) octets[i];
    }
    return InetAddress.getByAddress(bytes);
  }

  @Test
  void shouldNameAnAddressAndFindItInTheName() throws Exception {
    IpAddress address = new IpAddress(address(198, 18, 3, 7), 4791);
    assertEquals("198.18.3.7:4791", OverlayNetwork.name(address));
    assertEquals(Optional.of(address), OverlayNetwork.address("198.18.3.7:4791"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "a",
        "198.18.3.7",
        "198.18.3.7:",
        "198.18.3.7:0",
        "198.18.3.7:65536",
        "198.18.3.7:999999",
        "198.18.3.777:1",
        "198.18.3:1",
        "198.18.0.0/15:1",
        "[fe80::1]:4791",
        "198.18.3.7:+1",
        "198.18.3.7:4791 "
      })
  void shouldFindNoAddressInOtherNames(String name) {
    assertEquals(Optional.empty(), OverlayNetwork.address(name));
  }

  @Test
  void shouldEndWhereItsPrefixEnds() throws Exception {
    OverlayNetwork network = OverlayNetwork.parse("198.18.0.0/15");
    assertTrue(network.contains(address(198, 18, 0, 0)));
    assertTrue(network.contains(address(198, 19, 255, 255)));
    assertFalse(network.contains(address(198, 17, 255, 255)));
    assertFalse(network.contains(address(198, 20, 0, 0)));
    assertFalse(network.contains(address(198, 18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"198.18.0.0/15", "10.0.0.0/8", "255.255.255.252/30", "0.0.0.0/8"})
  void shouldBeWrittenAsItIsRead(String text) {
    assertEquals(text, OverlayNetwork.parse(" " + text + " ").toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "198.18.0.0", "198.18.0/15", "198.18.0.0/7", "198.18.0.0/31", "198.18.0.0/99",
        "256.18.0.0/15", "198.18.0.0/-1", "198.18.0.1/15", "fe80::/10", "1.2.3.4.5/8", "a.b.c.d/8",
        "198.18.0.0/15/15", "٠.0.0.0/8"
      })
  void shouldRefuseWhatIsNoNetworkForNodes(String text) {
    assertThrows(IllegalArgumentException.class, () -> OverlayNetwork.parse(text));
  }

  @Test
  void shouldSayWhichNetworkMayBeMeant() {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> OverlayNetwork.parse("198.19.1.0/15"));
    assertTrue(refusal.getMessage().contains("198.18.0.0/15"), refusal.getMessage());
  }
}
