package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The meshes people build, and the mistakes they make with them. */
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
    List<RemoteAddress> peer =
        List.of(
            remote("10.0.1.2/24", 400_000),
            remote("10.0.2.2/24", 0),
            remote("10.0.3.2/24", 0),
            remote("10.0.4.2/24", 400_000),
            remote("10.0.5.2/24", 100_000),
            remote("10.0.6.2/24", 100_000));

    Routes routes = Router.route(left.nics(), peer, nic -> nic.device().equals("d") ? 3 : 1);

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
        "169.254.1.1/16 is link-local: that subnet is on every cable, so it names none",
        reason("169.254.1.1/16", "169.254.1.2/16"));
    assertEquals(
        "fe80::2/64 is link-local: that subnet is on every cable, so it names none",
        reason("fd00::1/0", "fe80::2/64"));
    assertEquals("one is IPv4, the other IPv6", reason("10.0.0.1/0", "fd00::1/0"));
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
    Routes none = Router.route(List.of(Host.nic("eth1", "10.0.1.1/24")), List.of(), nic -> 0);

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
        () -> new RemoteAddress(Host.address("10.0.0.1/24"), -1, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> new RemoteAddress(Host.address("10.0.0.1/24"), 0, -1));
  }

  private static String reason(String ours, String theirs) {
    Routes routes = Host.of(Host.nic("eth1", ours)).routesTo(Host.of(Host.nic("eth1", theirs)));
    assertEquals(List.of(), routes.candidates());
    return routes.rejected().get(0).reason();
  }

  private static RemoteAddress remote(String address, int speedMbps) {
    return new RemoteAddress(Host.address(address), 0, speedMbps);
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
