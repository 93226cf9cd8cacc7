// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** On whatever host the tests run: interfaces may come and go while they do, loopback stays. */
class LiveHostTest {
  @Test
  void shouldFindLoopbackWithItsAddresses() throws SocketException {
    NetworkInterface java =
        NetworkInterface.networkInterfaces().filter(LiveHostTest::isLoopback).findFirst().get();
    HostInterface found =
        LiveHost.interfaces().stream()
            .filter(host -> host.name().equals(java.getName()))
            .findFirst()
            .get();
    assertTrue(found.loopback());
    assertTrue(found.up());
    assertEquals(java.getIndex(), found.ifindex());
    assertEquals(java.getMTU(), found.mtu());
    assertEquals(
        java.getInterfaceAddresses().stream()
            .map(address -> new LinkAddress(address.getAddress(), address.getNetworkPrefixLength()))
            .collect(Collectors.toSet()),
        Set.copyOf(found.addresses()));
  }

  private static boolean isLoopback(NetworkInterface netdev) {
    try {
      return netdev.isLoopback();
    } catch (SocketException e) {
      return false; // It went away meanwhile.
    }
  }

  @Test
  void shouldListEachInterfaceOnceInOrderOfItsIndex() {
    List<HostInterface> interfaces = LiveHost.interfaces();
    assertEquals(
        interfaces.size(), interfaces.stream().map(HostInterface::name).distinct().count());
    List<Integer> indices = interfaces.stream().map(HostInterface::ifindex).toList();
    assertEquals(indices.stream().sorted().toList(), indices);
  }

  @Test
  void shouldEitherOfferAnInterfaceOrSayWhyNot() {
    Discovery host = Discovery.live(MeshConfig.of(Map.of("MESH_PROVIDER", "soft")));
    Inventory found = host.scan();
    Set<String> answered = new TreeSet<>();
    found.nics().forEach(nic -> answered.add(nic.netdev()));
    found.rejections().forEach(rejection -> answered.add(rejection.netdev()));
    assertEquals(
        host.interfaces().stream().map(HostInterface::name).collect(Collectors.toSet()), answered);
    assertEquals(host.interfaces().size(), found.nics().size() + found.rejections().size());
  }
}
