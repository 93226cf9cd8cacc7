// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.InterfaceRoutes;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import io.meshtransport.spi.TransportException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The meshes people build, and the mistakes they make with them.
 *
 * <p>Also tests {@link RoutePreference}.
 */
class RouterTest {
  private static final Host A =
      Host.of(Host.nic("eth1", "10.0.1.1/24"), Host.nic("eth2", "10.0.3.1/31"));
  private static final Host B =
      Host.of(Host.nic("eth1", "10.0.1.2/24"), Host.nic("eth2", "10.0.2.1/30"));
  private static final Host C =
      Host.of(Host.nic("eth1", "10.0.2.2/30"), Host.nic("eth2", "10.0.3.0/31"));

  @Test
  void shouldFindTheOneCableOfEachPairInATriangle() {
    assertEquals(List.of("eth1 10.0.1.1/24 to 10.0.1.2/24"), ways(A.routesTo(B)));
    assertEquals(List.of("eth2 10.0.2.1/30 to 10.0.2.2/30"), ways(B.routesTo(C)));
    assertEquals(List.of("eth2 10.0.3.0/31 to 10.0.3.1/31"), ways(C.routesTo(A)));
    assertEquals("10.0.3.0/31", C.routesTo(A).candidates().get(0).subnet());
  }

  @Test
  void shouldSayWhyTheOnlyCandidateWasChosen() {
    assertEquals(
        "eth1 10.0.1.1/24 to 10.0.1.2/24 share 10.0.1.0/24; no other pair does.",
        A.routesTo(B).candidates().get(0).why());
  }

  @Test
  void shouldOfferBothCablesOfAPair() {
    Host left = Host.of(Host.nic("eth1", "10.0.1.1/30"), Host.nic("eth2", "10.0.2.1/30"));
    Host right = Host.of(Host.nic("eth1", "10.0.1.2/30"), Host.nic("eth2", "10.0.2.2/30"));

    Routes routes = left.routesTo(right);

    assertEquals(
        List.of("eth1 10.0.1.1/30 to 10.0.1.2/30", "eth2 10.0.2.1/30 to 10.0.2.2/30"),
        ways(routes));
    assertEquals(
        "eth1 10.0.1.1/30 to 10.0.1.2/30 share 10.0.1.0/30; tried before eth2 10.0.2.1/30 to"
            + " 10.0.2.2/30 by name.",
        routes.candidates().get(0).why());
    assertEquals(
        "eth2 10.0.2.1/30 to 10.0.2.2/30 share 10.0.2.0/30; the last of 2 candidates.",
        routes.candidates().get(1).why());
  }

  @Test
  void shouldOfferEveryCrossingOfTwoCablesWithTheSameSubnet() {
    Host left = Host.of(Host.nic("eth1", "10.0.1.1/24"), Host.nic("eth2", "10.0.1.3/24"));
    Host right = Host.of(Host.nic("eth1", "10.0.1.2/24"), Host.nic("eth2", "10.0.1.4/24"));

    Routes routes = left.routesTo(right);

    assertEquals(
        List.of(
            "eth1 10.0.1.1/24 to 10.0.1.2/24",
            "eth1 10.0.1.1/24 to 10.0.1.4/24",
            "eth2 10.0.1.3/24 to 10.0.1.2/24",
            "eth2 10.0.1.3/24 to 10.0.1.4/24"),
        ways(routes));
  }

  @Test
  void shouldPreferTheCableToTheManagementNetworkBeside() {
    Host left = Host.of(Host.nic("eno1", "192.168.0.5/16"), Host.nic("eth1", "10.0.1.1/30"));
    Host right = Host.of(Host.nic("eno1", "192.168.0.6/16"), Host.nic("eth1", "10.0.1.2/30"));

    Routes routes = left.routesTo(right);

    assertEquals(
        List.of("eth1 10.0.1.1/30 to 10.0.1.2/30", "eno1 192.168.0.5/16 to 192.168.0.6/16"),
        ways(routes));
    assertTrue(
        routes.candidates().get(0).why().endsWith("for its longer prefix."),
        routes.candidates().get(0).why());
  }

  @Test
  void shouldPreferTheNetworkWhoseAddressTheCallerNamed() {
    // Earlier by name and with the longer prefix: all that speaks for it but what the caller says.
    Host left = Host.of(Host.nic("eno1", "192.168.0.5/26"), Host.nic("eth1", "10.0.1.1/24"));
    Host right = Host.of(Host.nic("eno1", "192.168.0.6/26"), Host.nic("eth1", "10.0.1.2/24"));

    Routes routes = left.routesTo(right, "10.0.1.2");

    assertEquals(
        List.of("eth1 10.0.1.1/24 to 10.0.1.2/24", "eno1 192.168.0.5/26 to 192.168.0.6/26"),
        ways(routes));
    assertTrue(
        routes
            .candidates()
            .get(0)
            .why()
            .endsWith("because its network has the address that was asked for."),
        routes.candidates().get(0).why());
    assertEquals("eno1", left.routesTo(right, "192.168.0.6").candidates().get(0).nic().device());
  }

  @Test
  void shouldPreferTheNamedAddressToAWiderNetworkThatHasItToo() {
    Host left = Host.of(Host.nic("eno1", "10.9.0.5/8"), Host.nic("eth1", "10.0.1.1/24"));
    Host right = Host.of(Host.nic("eno1", "10.9.0.6/8"), Host.nic("eth1", "10.0.1.2/24"));

    assertEquals("eth1", left.routesTo(right, "10.0.1.2").candidates().get(0).nic().device());
  }

  @Test
  void shouldUseTheInterfaceOfTheDefaultRouteLastUnlessItWasNamed() {
    Nic management =
        port("eno1", PortState.ACTIVE, 400_000, "192.168.0.5/26")
            .withRoutes(new InterfaceRoutes(/* isDefault= */ true, Set.of()));
    Host left = Host.of(management, port("eth1", PortState.ACTIVE, 0, "10.0.1.1/24"));
    Host right = Host.of(Host.nic("eno1", "192.168.0.6/26"), Host.nic("eth1", "10.0.1.2/24"));

    Routes routes = left.routesTo(right);

    assertEquals("eth1 eno1", devices(routes));
    assertTrue(
        routes.candidates().get(0).why().endsWith("because no default route leads over it."),
        routes.candidates().get(0).why());
    assertEquals("eno1 eth1", devices(left.routesTo(right, "192.168.0.6")));
  }

  @Test
  void shouldPreferSpeedToALongerPrefix() {
    Host left =
        Host.of(
            port("a", PortState.ACTIVE, 1_000, "192.168.0.5/30"),
            port("b", PortState.ACTIVE, 100_000, "10.0.1.1/16"));
    Host right = Host.of(Host.nic("a", "192.168.0.6/30"), Host.nic("b", "10.0.1.2/16"));

    assertEquals("b a", devices(left.routesTo(right)));
  }

  @Test
  void shouldRouteBetweenTheEndsOfAPointToPointLink() {
    Host left = Host.of(pointToPoint("eth1", "10.9.0.1/32", "10.200.0.2"));
    Host right = Host.of(pointToPoint("eth7", "10.200.0.2/32", "10.9.0.1"));

    assertEquals(List.of("eth1 10.9.0.1/32 to 10.200.0.2/32"), ways(left.routesTo(right)));
    assertEquals(List.of("eth7 10.200.0.2/32 to 10.9.0.1/32"), ways(right.routesTo(left)));
    assertEquals("10.9.0.1/32 peer 10.200.0.2", left.routesTo(right).candidates().get(0).subnet());
  }

  @Test
  void shouldNotTakeAPointToPointLinkForOneToSomebodyElse() {
    Host left = Host.of(pointToPoint("eth1", "10.9.0.1/32", "10.9.0.2"));

    assertEquals(List.of(), ways(left.routesTo(Host.of(Host.nic("eth1", "10.9.0.3/32")))));
    // The peer does not know of us: its answers would go elsewhere.
    assertEquals(List.of(), ways(left.routesTo(Host.of(Host.nic("eth1", "10.9.0.2/31")))));
    // A /24 that has us in it does.
    assertEquals(
        List.of("eth1 10.9.0.1/32 to 10.9.0.2/24"),
        ways(left.routesTo(Host.of(Host.nic("eth1", "10.9.0.2/24")))));
  }

  private static Nic pointToPoint(String name, String address, String peer) {
    return Host.nic(name, address)
        .withRoutes(
            new InterfaceRoutes(
                /* isDefault= */ false, Set.of(Host.address(peer + "/0").address())));
  }

  @Test
  void shouldRejectTheDockerBridgeThatHasTheSameAddressOnEveryHost() {
    Host left = Host.of(Host.nic("docker0", "172.17.0.1/16"), Host.nic("eth1", "10.0.1.1/24"));
    Host right = Host.of(Host.nic("docker0", "172.17.0.1/16"), Host.nic("eth1", "10.0.1.2/24"));

    Routes routes = left.routesTo(right);

    assertEquals(List.of("eth1 10.0.1.1/24 to 10.0.1.2/24"), ways(routes));
    assertEquals(AddressPair.Relation.SAME_ADDRESS, routes.rejected().get(0).relation());
    assertEquals(
        "docker0 172.17.0.1/16 to 172.17.0.1/16: both ends have 172.17.0.1: a cable with one"
            + " address given twice, or a bridge that every host has",
        routes.rejected().get(0).toString());
  }

  @Test
  void shouldTryABridgeWithAddressesOfItsOwnOnlyAfterTheCable() {
    Host left = Host.of(bridge("10.88.0.5/24"), Host.nic("eth1", "10.0.1.1/24"));
    Host right = Host.of(bridge("10.88.0.6/24"), Host.nic("eth1", "10.0.1.2/24"));

    Routes routes = left.routesTo(right);

    assertEquals(
        List.of("eth1 10.0.1.1/24 to 10.0.1.2/24", "cni0 10.88.0.5/24 to 10.88.0.6/24"),
        ways(routes));
    assertTrue(
        routes.candidates().get(0).why().endsWith("for its speed."),
        routes.candidates().get(0).why());
  }

  @Test
  void shouldJudgeAsymmetricMasksByTheVaguerEnd() {
    Host left = Host.of(Host.nic("eth1", "10.0.0.1/30"), Host.nic("eth2", "10.1.0.1/24"));
    Host right = Host.of(Host.nic("eth1", "10.0.0.2/8"), Host.nic("eth2", "10.1.0.2/24"));

    Routes routes = left.routesTo(right);

    assertEquals(
        List.of("eth2 10.1.0.1/24 to 10.1.0.2/24", "eth1 10.0.0.1/30 to 10.0.0.2/8"), ways(routes));
    assertEquals("10.0.0.0/30", routes.candidates().get(1).subnet());
  }

  @Test
  void shouldPreferAnActivePortThenSpeedThenFewerConnectionsThenName() {
    Host left =
        Host.of(
            port("a", PortState.DOWN, 400_000, "10.0.1.1/24"),
            port("b", PortState.ACTIVE, 0, "10.0.2.1/24"),
            port("c", PortState.ACTIVE, 25_000, "10.0.3.1/24"),
            port("d", PortState.ACTIVE, 100_000, "10.0.4.1/24"),
            port("e", PortState.ACTIVE, 400_000, "10.0.5.1/24"),
            port("f", PortState.ACTIVE, 100_000, "10.0.6.1/24"));
    List<HandleAddress> peer =
        List.of(
            remote("10.0.1.2/24", 400_000),
            remote("10.0.2.2/24", 0),
            remote("10.0.3.2/24", 0),
            remote("10.0.4.2/24", 400_000),
            remote("10.0.5.2/24", 100_000),
            remote("10.0.6.2/24", 100_000));

    Routes routes =
        Router.route(left.nics(), peer, Optional.empty(), nic -> nic.device().equals("d") ? 3 : 1);

    assertEquals("e f d c b a", devices(routes));
  }

  @Test
  void shouldAskForLiveConnectionsOncePerNicWhateverTheAnswerDoesMeanwhile() {
    Map<String, Integer> asked = new HashMap<>();
    Host many =
        new Host(
            IntStream.range(0, 16)
                .mapToObj(i -> Host.nic("eth" + i, "10.0.0." + i + "/24"))
                .toList());

    Router.route(
        many.nics(),
        List.of(remote("10.0.0.100/24", 0), remote("10.0.0.101/24", 0)),
        Optional.empty(),
        nic -> asked.merge(nic.device(), 1, Integer::sum) * 31 % 7);

    assertEquals(16, asked.size());
    assertTrue(asked.values().stream().allMatch(times -> times == 1), asked.toString());
  }

  @Test
  void shouldSayWhatWasTriedAndWhatToDoWhenNoSubnetIsShared() {
    Host right = Host.of(Host.nic("eth1", "10.0.7.2/24"), Host.nic("eth2", "10.0.8.2/30"));

    assertEquals(
        """
        No link to node-c: tried 2 local NICs x 2 remote addresses; none share a subnet.
          eth2 10.0.3.1/31 to 10.0.8.2/30: 10.0.3.0/31 and 10.0.8.0/30 are different subnets
          eth1 10.0.1.1/24 to 10.0.7.2/24: 10.0.1.0/24 and 10.0.7.0/24 are different subnets
          eth1 10.0.1.1/24 to 10.0.8.2/30: 10.0.1.0/24 and 10.0.8.0/30 are different subnets
          eth2 10.0.3.1/31 to 10.0.7.2/24: 10.0.3.0/31 and 10.0.7.0/24 are different subnets
        Give both ends of a cable addresses in a subnet of its own, for example \
        `ip addr add 192.168.77.1/30 dev eth1` here and 192.168.77.2/30 on the peer's end.""",
        A.routesTo(right).noRouteText("node-c"));
  }

  @Test
  void shouldNameTheReasonOfEachKindOfRejection() {
    assertEquals(
        "both ends have 10.0.0.1: a cable with one address given twice, or a bridge that every host"
            + " has",
        reason("10.0.0.1/24", "10.0.0.1/8"));
    assertEquals(
        "10.0.0.1/30 lies in 10.0.0.0/8, but 10.0.9.9 is outside 10.0.0.0/30: the masks differ",
        reason("10.0.0.1/30", "10.0.9.9/8"));
    assertEquals(
        "10.0.0.1/30 lies in 10.0.0.0/8, but 10.0.9.9 is outside 10.0.0.0/30: the masks differ",
        reason("10.0.9.9/8", "10.0.0.1/30"));
    assertEquals(
        "of 169.254.0.0/16 are no cable's own addresses",
        reason("169.254.1.1/16", "169.254.1.2/16"));
    assertEquals(
        "fe80::2/64 is link-local, as the only address of its interface, and fd00::1/0 is not",
        reason("fd00::1/0", "fe80::2/64"));
    assertEquals("one is IPv4, the other IPv6", reason("10.0.0.1/0", "fd00::1/0"));
  }

  @Test
  void shouldTryAllPairsOfLinkLocalAddressesAfterSubnetsOfACable() {
    Host here =
        Host.of(
            Host.nic("eth1", "fe80::1/64"),
            Host.nic("eth2", "fe80::1/64"),
            Host.nic("eth3", "10.0.3.1/30"));
    Host there = Host.of(Host.nic("eth1", "fe80::2/64"), Host.nic("eth2", "10.0.3.2/30"));

    Routes routes = here.routesTo(there);

    assertEquals(
        List.of(
            "eth3 10.0.3.1/30 to 10.0.3.2/30 share 10.0.3.0/30; tried before eth1 fe80::1/64 to"
                + " fe80::2/64 because its subnet is of one cable.",
            "eth1 fe80::1/64 to fe80::2/64 share fe80::%eth1/64 if a cable joins them; tried before"
                + " eth2 fe80::1/64 to fe80::2/64 by name.",
            "eth2 fe80::1/64 to fe80::2/64 share fe80::%eth2/64 if a cable joins them; the last of 3"
                + " candidates."),
        routes.candidates().stream().map(Candidate::why).toList());
  }

  @Test
  void shouldNotTryPairsThatAreOnNoCableAndSayWhereTheirCablesLead() {
    Host here = Host.of(Host.nic("eth1", "fe80::1/64"), Host.nic("eth2", "fe80::1/64"));
    Routes all = here.routesTo(Host.of(Host.nic("eth1", "fe80::2/64")));

    Routes some = all.without(pair -> elsewhere(pair, "eth1"));
    assertEquals(
        List.of("eth2"), some.candidates().stream().map(each -> each.nic().netdev()).toList());

    Routes none = some.without(pair -> elsewhere(pair, "eth2"));
    TransportException why = NoRoute.to("node c", none, List.of());
    assertEquals(TransportException.Reason.NO_ROUTE, why.reason());
    assertFalse(why.retryHelps());
    assertTrue(
        NoRoute.to("node c", none, all.candidates()).retryHelps(),
        "a port without a carrier may be the one");
    assertTrue(
        why.getMessage().startsWith("No cable joins this node and node c"), why.getMessage());
    assertTrue(
        why.getMessage().contains("eth1 fe80::1/64 to fe80::2/64: eth1 leads to b\n")
            && why.getMessage().contains("eth2 leads to b\n")
            && why.getMessage().contains("start a relay"),
        why.getMessage());
  }

  private static Optional<String> elsewhere(AddressPair pair, String nic) {
    return Optional.of(nic + " leads to b").filter(each -> pair.nic().netdev().equals(nic));
  }

  @Test
  void shouldTryFirstTheInterfaceThatANamedLinkLocalAddressHasAsItsScope() throws Exception {
    Nic one = withIfindex(Host.nic("eth1", "fe80::1/64"), 1);
    Nic other = withIfindex(Host.nic("eth2", "fe80::1/64"), 2);
    List<HandleAddress> remotes =
        List.of(
            new HandleAddress(LinkAddress.parse("fe80::2/64"), 0, 0),
            new HandleAddress(LinkAddress.parse("fe80::3/64"), 1, 0));
    InetAddress named =
        Inet6Address.getByAddress(null, AddressText.parse("fe80::3").getAddress(), other.ifindex());

    Routes routes = Router.route(List.of(one, other), remotes, Optional.of(named), nic -> 0);

    Candidate first = routes.candidates().get(0);
    assertEquals("eth2 fe80::1/64 to fe80::3/64", first.pair().toString());
    assertEquals(
        List.of("eth2", "eth2", "eth1", "eth1"),
        routes.candidates().stream().map(way -> way.nic().netdev()).toList());
  }

  private static Nic withIfindex(Nic nic, int ifindex) {
    return new Nic(
        nic.provider(),
        nic.device(),
        nic.port(),
        nic.netdev(),
        ifindex,
        nic.addresses(),
        nic.speedMbps(),
        nic.activeMtu(),
        nic.state(),
        nic.pciPath(),
        nic.numaNode());
  }

  @Test
  void shouldCutTheListOfPairsAndCountTheRest() {
    Host wide =
        new Host(
            IntStream.range(0, 8)
                .mapToObj(i -> Host.nic("eth" + i, "10.0." + i + ".1/24"))
                .toList());
    Host far =
        new Host(
            IntStream.range(0, 5)
                .mapToObj(i -> Host.nic("eth" + i, "10.9." + i + ".1/24"))
                .toList());

    String text = wide.routesTo(far).noRouteText("far");

    assertTrue(text.contains("\n  and 8 more pairs\n"), text);
    assertEquals(1 + Routes.MAX_PAIRS_SHOWN + 1 + 1, text.lines().count());
  }

  @Test
  void shouldTalkOfOneNicAndOfNoAddressInProperWords() {
    Routes none =
        Router.route(
            List.of(Host.nic("eth1", "10.0.1.1/24")), List.of(), Optional.empty(), nic -> 0);

    assertTrue(
        none.noRouteText("x").startsWith("No link to x: tried 1 local NIC x 0 remote addresses;"),
        none.noRouteText("x"));
  }

  @Test
  void shouldRefuseToExplainAMissingRouteWhereThereIsOne() {
    assertThrows(IllegalStateException.class, () -> A.routesTo(B).noRouteText("b"));
  }

  @Test
  void shouldRefuseRemoteAddressesThatCannotBe() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new HandleAddress(Host.address("10.0.0.1/24"), -1, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> new HandleAddress(Host.address("10.0.0.1/24"), 0, -1));
  }

  private static String reason(String ours, String theirs) {
    Routes routes = Host.of(Host.nic("eth1", ours)).routesTo(Host.of(Host.nic("eth1", theirs)));
    assertEquals(List.of(), routes.candidates());
    return routes.rejected().get(0).reason();
  }

  private static HandleAddress remote(String address, int speedMbps) {
    return new HandleAddress(Host.address(address), 0, speedMbps);
  }

  private static Nic port(String name, PortState state, int speedMbps, String address) {
    return Host.nic(name, state, speedMbps, List.of(Host.address(address)));
  }

  /** Bridges report no speed unless a port of theirs does. */
  private static Nic bridge(String address) {
    return port("cni0", PortState.ACTIVE, 0, address);
  }

  private static String devices(Routes routes) {
    return routes.candidates().stream()
        .map(candidate -> candidate.nic().device())
        .collect(Collectors.joining(" "));
  }

  private static List<String> ways(Routes routes) {
    return routes.candidates().stream().map(RouterTest::way).toList();
  }

  private static String way(Candidate candidate) {
    return new AddressPair(candidate.nic(), candidate.local(), candidate.remote()).toString();
  }
}
