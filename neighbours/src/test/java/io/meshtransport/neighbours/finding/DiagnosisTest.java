// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.OtherSecret;
import io.meshtransport.nic.LinkAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Each kind of {@link Finding}, of an {@link OtherSecret} too, and cables without any: {@link
 * SubnetFindings} too.
 */
class DiagnosisTest {
  private static final NodeId A = new NodeId(0x0a00000000000000L, 1);
  private static final NodeId B = new NodeId(0x0b00000000000000L, 1);
  private static final NodeId C = new NodeId(0x0c00000000000000L, 1);

  private static List<LinkAddress> addresses(String... texts) {
    return Arrays.stream(texts).map(LinkAddress::parse).toList();
  }

  private static NeighbourView neighbour(NodeId node, String name, String... texts) {
    return new NeighbourView(node, name, "eth0", 1500, 10_000, addresses(texts), false);
  }

  private static CableView cable(String name, List<LinkAddress> mine, NeighbourView... there) {
    return new CableView(
        name,
        1500,
        10_000,
        mine,
        List.of(there),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static NodeView node(NodeId id, String name, String... addresses) {
    return new NodeView(
        id,
        name,
        addresses.length == 0
            ? List.of()
            : List.of(new InterfaceEntry(1, "eth0", 1500, 10_000, addresses(addresses))));
  }

  private static List<Finding> diagnosis(
      List<CableView> cables, List<NodeView> present, List<NodeView> recent) {
    return Diagnosis.of(cables, present, recent, Set.of());
  }

  private static Finding only(CableView... cables) {
    List<Finding> findings = diagnosis(List.of(cables), List.of(), List.of());
    assertEquals(1, findings.size(), findings.toString());
    return findings.get(0);
  }

  private static void assertFinding(
      Finding finding, FindingKind kind, String subject, String text, String remedy) {
    assertEquals(new Finding(kind, subject, text, remedy), finding);
  }

  @Test
  void shouldFindNothingWrongWithGoodCables() {
    assertEquals(
        List.of(),
        diagnosis(
            List.of(
                cable("eth0", addresses("10.0.1.1/24"), neighbour(B, "b", "10.0.1.2/24")),
                cable("eth1", addresses("fe80::1/64"), neighbour(C, "c", "fe80::2/64")),
                cable("eth2", addresses("10.0.3.1/24"), neighbour(C, "c"))),
            List.of(node(B, "b"), node(C, "c")),
            List.of(node(B, "b", "10.0.1.2/24"), node(C, "c", "10.0.2.2/24"))));
  }

  @Test
  void shouldFindCrossedCables() {
    List<Finding> findings =
        diagnosis(
            List.of(
                cable("eth0", addresses("10.0.1.1/24"), neighbour(B, "b", "10.0.2.2/24")),
                cable("eth1", addresses("10.0.2.1/24"), neighbour(C, "c", "10.0.1.2/24"))),
            List.of(),
            List.of());
    assertEquals(2, findings.size());
    assertFinding(
        findings.get(0),
        FindingKind.CROSSED_CABLES,
        "eth0 - b/eth0",
        "10.0.2.2/24 at the other end of eth0 is in the subnet of eth1 (10.0.2.1/24).",
        "Plug this cable into eth1, or swap the cables of eth0 and eth1 at one end.");
    assertEquals(FindingKind.CROSSED_CABLES, findings.get(1).kind());
  }

  @Test
  void shouldFindTwoCablesInOneSubnet() {
    assertFinding(
        only(
            cable("eth1", addresses("10.0.1.2/24")),
            cable("eth0", addresses("10.0.1.1/24", "10.0.9.1/24"))),
        FindingKind.SHARED_SUBNET,
        "eth0, eth1",
        "Two cables are in one subnet: 10.0.1.1/24 on eth0 and 10.0.1.2/24 on eth1; the kernel may"
            + " send over either.",
        "Give each cable a subnet of its own.");
  }

  @Test
  void shouldFindEndsWithoutACommonSubnet() {
    assertFinding(
        only(cable("eth0", addresses("10.0.1.1/24"), neighbour(B, "b", "10.0.7.2/24"))),
        FindingKind.PREFIX_MISMATCH,
        "eth0 - b/eth0",
        "The two ends have no subnet in common: [10.0.1.1/24] here and [10.0.7.2/24] there.",
        "Give both ends addresses of one subnet, for example `ip addr add 10.0.1.2/24 dev eth0` on"
            + " b.");
  }

  @Test
  void shouldFindPrefixLengthsThatDiffer() {
    assertFinding(
        only(cable("eth0", addresses("10.0.1.1/24"), neighbour(B, "b", "10.0.1.2/16"))),
        FindingKind.PREFIX_MISMATCH,
        "eth0 - b/eth0",
        "The prefix lengths differ: 10.0.1.1/24 here and 10.0.1.2/16 there.",
        "Give both ends the same prefix length.");
    assertEquals(
        FindingKind.PREFIX_MISMATCH,
        only(cable("eth0", addresses("10.0.1.1/24"), neighbour(B, "b", "10.0.9.2/16"))).kind());
  }

  @Test
  void shouldProposeAnAddressOfTheSameSubnet() {
    for (String mine : List.of("10.0.1.1/24", "10.0.1.3/24", "10.0.1.0/31", "fd00::4/64")) {
      String remedy =
          only(cable("eth0", addresses(mine), neighbour(B, "b", "172.16.0.1/24"))).remedy();
      String proposed = remedy.replaceAll(".*addr add (\\S+) dev.*", "$1");
      LinkAddress here = LinkAddress.parse(mine);
      LinkAddress there = LinkAddress.parse(proposed);
      assertTrue(here.contains(there.address()) && !here.equals(there), proposed);
    }
  }

  @Test
  void shouldFindACableThatLeadsBack() {
    CableView plain = cable("eth1", List.of());
    CableView looped =
        new CableView(
            "eth1",
            1500,
            0,
            List.of(),
            List.of(),
            Optional.of("eth0"),
            Optional.empty(),
            Optional.empty(),
            false);
    assertEquals(List.of(), diagnosis(List.of(plain), List.of(), List.of()));
    assertFinding(
        only(looped),
        FindingKind.LOOPED_CABLE,
        "eth0 - eth1",
        "The cable leads from eth1 back to eth0 of the same node.",
        "Plug one of its ends into another node.");
  }

  @Test
  void shouldFindSeveralNodesBehindOnePort() {
    assertFinding(
        only(cable("eth0", List.of(), neighbour(C, "c"), neighbour(B, "b"))),
        FindingKind.SEVERAL_NODES,
        "eth0",
        "Several nodes are behind this port: b/eth0, c/eth0.",
        "This works through a switch, for at most 4 of them; they share the port's rate.");
  }

  @Test
  void shouldFindOneWayTraffic() {
    assertFinding(
        only(
            cable(
                "eth1",
                List.of(),
                new NeighbourView(B, "b", "eth0", 1500, 10_000, List.of(), true))),
        FindingKind.ONE_WAY,
        "eth1 - b/eth0",
        "b/eth0 is heard here, but does not hear this node.",
        "Let the firewall of b accept UDP from this node on eth0; if it does, replace the cable.");
  }

  @Test
  void shouldFindDifferentMtus() {
    assertFinding(
        only(
            cable(
                "eth1",
                List.of(),
                new NeighbourView(B, "b", "eth0", 9000, 10_000, List.of(), false))),
        FindingKind.MTU_MISMATCH,
        "eth1 - b/eth0",
        "The MTU is 1500 here and 9000 there: packets above the smaller one are lost.",
        "Run `ip link set dev eth1 mtu 9000` on this node.");
  }

  @Test
  void shouldFindDifferentSpeeds() {
    assertFinding(
        only(
            cable(
                "eth1", List.of(), new NeighbourView(B, "b", "eth0", 0, 25_000, List.of(), false))),
        FindingKind.SPEED_MISMATCH,
        "eth1 - b/eth0",
        "The speed is 10000 Mbit/s here and 25000 Mbit/s there.",
        "Plug the cable into ports of one speed, or set it with `ethtool -s`.");
  }

  private static List<Finding> ofNames(List<NodeView> present, List<NodeView> recent) {
    return diagnosis(List.of(), present, recent);
  }

  @Test
  void shouldFindTwoNodesWithOneNameAndSayWhereTheyAre() {
    List<NodeView> nodes =
        List.of(
            node(C, "b"), node(B, "b", "10.0.1.2/24", "fe80::2/64"), node(A, "a", "fe80::1/64"));
    List<Finding> findings = ofNames(nodes, nodes);
    assertEquals(1, findings.size(), "" + findings);
    assertFinding(
        findings.get(0),
        FindingKind.DUPLICATE_NAME,
        "b",
        "2 nodes have the name b: 0b000000 at eth0 10.0.1.2; 0c000000.",
        "Set MESH_NODE to a name of its own on all but one.");
    assertTrue(findings.get(0).isSameAs(ofNames(nodes, List.of()).get(0)));
  }

  @Test
  void shouldFindThatNodesOfOneNameCameOneAfterTheOther() {
    NodeView first = node(B, "b", "10.0.1.2/24", "fe80::2/64");
    NodeView second = node(C, "b", "fe80::3/64");
    List<Finding> findings = ofNames(List.of(second), List.of(first, second));
    assertEquals(1, findings.size(), "" + findings);
    assertFinding(
        findings.get(0),
        FindingKind.REUSED_NAME,
        "b",
        "2 nodes have had the name b within a minute, at addresses that differ: 0b000000 at eth0 10.0.1.2; 0c000000 at eth0 fe80::3.",
        "If they are two hosts, set MESH_NODE to a name of its own on one of them; if one host has got new addresses, nothing is wrong.");
    assertEquals(findings, ofNames(List.of(), List.of(second, first)));
  }

  /** They are two for sure: nobody needs to ask whether one has got new addresses. */
  @Test
  void shouldNotDoubtThatNodesWereTwoThatWereThereAtOneTime() {
    List<NodeView> both = List.of(node(B, "b", "10.0.1.2/24"), node(C, "b", "10.0.2.2/24"));
    List<Finding> findings = Diagnosis.of(List.of(), both.subList(0, 1), both, Set.of("b"));
    assertEquals(1, findings.size(), "" + findings);
    assertFinding(
        findings.get(0),
        FindingKind.REUSED_NAME,
        "b",
        "2 nodes have had the name b within a minute, and two of them at one time: 0b000000 at eth0 10.0.1.2; 0c000000 at eth0 10.0.2.2.",
        "Set MESH_NODE to a name of its own on all but one.");
  }

  @Test
  void shouldNotTakeANodeThatWasStartedAgainForAnother() {
    NodeView first = node(B, "b", "10.0.1.2/24", "fe80::2/64");
    assertEquals(
        List.of(), ofNames(List.of(), List.of(first, node(C, "b", "fe80::2/64", "10.0.9.2/24"))));
    assertEquals(List.of(), ofNames(List.of(), List.of(first, node(C, "b"))), "nothing is known");
    assertEquals(List.of(), ofNames(List.of(), List.of(first, node(C, "c", "fe80::3/64"))));
  }

  @Test
  void shouldFindAnotherJobAndAnotherSecret() {
    CableView job =
        new CableView(
            "eth1",
            1500,
            0,
            List.of(),
            List.of(),
            Optional.empty(),
            Optional.of("b of job 'x'"),
            Optional.of(new OtherSecret("c", OtherSecret.Difference.DIFFERENT)),
            false);
    List<Finding> findings = diagnosis(List.of(job), List.of(), List.of());
    assertEquals(
        List.of(FindingKind.OTHER_JOB, FindingKind.OTHER_SECRET),
        findings.stream().map(Finding::kind).toList());
    assertEquals(
        "eth1: The node at the other end belongs to another job: b of job 'x'. Give both nodes the"
            + " same job, or ignore it if they are meant to be apart.",
        findings.get(0).toString());
    assertEquals(
        "eth1: The node at the other end has another secret than this node; it calls itself c, which is not proved. Set the same MESH_SECRET on both nodes.",
        findings.get(1).toString());
  }

  @Test
  void shouldSayWhichOfTwoNodesHasNoSecret() {
    assertFinding(
        only(otherSecret("eth1", "c", OtherSecret.Difference.ONLY_HERE)),
        FindingKind.OTHER_SECRET,
        "eth1",
        "The node at the other end has no secret, and this node has one; it calls itself c, which is not proved.",
        "Set this node's MESH_SECRET on that one too.");
    assertFinding(
        only(otherSecret("eth1", "c", OtherSecret.Difference.ONLY_THERE)),
        FindingKind.OTHER_SECRET,
        "eth1",
        "The node at the other end has a secret, and this node has none; it calls itself c, which is not proved.",
        "Set that node's MESH_SECRET on this one too.");
  }

  /** So that a text may say it once for all cables. */
  @Test
  void shouldSayOfAllNodesWithAnotherSecretTheSame() {
    Finding one = finding(OtherSecret.Difference.DIFFERENT);
    assertEquals("eth1", one.subject());
    assertEquals(
        "The nodes at the other ends have another secret than this node; they call themselves b, c, which is not proved.",
        one.text());
    assertEquals("Set the same MESH_SECRET on all nodes.", one.remedy());
    assertEquals(
        "Set this node's MESH_SECRET on those too.",
        finding(OtherSecret.Difference.ONLY_HERE).remedy());
    assertEquals(
        "Set their MESH_SECRET on this one too.",
        finding(OtherSecret.Difference.ONLY_THERE).remedy());
  }

  /** The first of two, at the ends of two cables. */
  private static Finding finding(OtherSecret.Difference difference) {
    List<Finding> findings =
        diagnosis(
            List.of(otherSecret("eth1", "c", difference), otherSecret("eth2", "b", difference)),
            List.of(),
            List.of());
    assertEquals(2, findings.size(), "" + findings);
    assertTrue(findings.get(0).isAlike(findings.get(1)), "" + findings);
    assertFalse(findings.get(0).isAlike(findings.get(0)));
    return findings.get(0);
  }

  private static CableView otherSecret(
      String interfaceName, String sender, OtherSecret.Difference difference) {
    return new CableView(
        interfaceName,
        1500,
        0,
        List.of(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(new OtherSecret(sender, difference)),
        false);
  }
}
