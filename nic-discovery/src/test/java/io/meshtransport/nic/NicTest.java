// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NicTest {
  private static final NicAddress ADDRESS = address("10.0.1.1/24", 3);

  @Test
  void shouldPreferTheFirstAddress() {
    List<NicAddress> addresses = new ArrayList<>(List.of(ADDRESS, address("fd00::1/64", 5)));
    Nic nic = nic("mlx5_0", 1, addresses, 1024);
    addresses.clear();
    assertEquals(2, nic.addresses().size());
    assertEquals(3, nic.gid().index());
    assertEquals("mlx5_0 (eth0)", nic.label());
    assertEquals("eth0", nic("eth0", 1, List.of(ADDRESS), 1024).label());
    assertEquals("10.0.1.1/24", ADDRESS.toString());
  }

  @Test
  void shouldRefuseANicWithoutAddress() {
    assertThrows(IllegalArgumentException.class, () -> nic("mlx5_0", 1, List.of(), 1024));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 128, 1000, 1500, 8192, Integer.MIN_VALUE})
  void shouldRefuseAnMtuThatNoPacketHas(int mtu) {
    assertThrows(IllegalArgumentException.class, () -> nic("mlx5_0", 1, List.of(ADDRESS), mtu));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 256})
  void shouldRefuseAPortThatNoDeviceHas(int port) {
    assertThrows(IllegalArgumentException.class, () -> nic("mlx5_0", port, List.of(ADDRESS), 256));
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "65536, 0", "0, -1"})
  void shouldRefuseARowOutsideTheTable(int index, int ifindex) {
    Gid gid = Gid.of(AddressText.parse("10.0.1.1"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new GidEntry(gid, index, GidType.ROCE_V2, "eth0", ifindex));
  }

  @Test
  void shouldRefuseAnEmptyRow() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new GidEntry(Gid.ZERO, 0, GidType.ROCE_V2, "eth0", 1));
  }

  @Test
  void shouldDialFromALinkLocalAddressWithTheInterfaceOfItsRow() {
    assertEquals("fe80:0:0:0:0:0:0:1%2", address("fe80::1/64", 0).socketAddress().getHostAddress());
    assertEquals("10.0.1.1", address("10.0.1.1/24", 0).socketAddress().getHostAddress());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b"})
  void shouldRefuseAnInterfaceNameThatIsAPath(String name) {
    assertThrows(
        IllegalArgumentException.class,
        () -> new HostInterface(name, 1, true, false, 1500, List.of()));
  }

  private static Nic nic(String device, int port, List<NicAddress> addresses, int mtu) {
    return new Nic("ibverbs", device, port, "eth0", 2, addresses, 0, mtu, PortState.ACTIVE, "", -1);
  }

  private static NicAddress address(String text, int index) {
    LinkAddress link = LinkAddress.parse(text);
    return new NicAddress(
        link, new GidEntry(Gid.of(link.address()), index, GidType.ROCE_V2, "eth0", 2));
  }
}
