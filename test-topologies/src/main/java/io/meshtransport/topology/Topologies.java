// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The meshes we test on. */
public final class Topologies {
  /** Two nodes, one cable. */
  public static final Topology PAIR =
      new Topology(
          "pair",
          List.of("a", "b"),
          List.of(Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24")));

  /** Three nodes, a cable per pair, and no two cables with a prefix of the same length. */
  public static final Topology TRIANGLE =
      new Topology(
          "triangle",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/30", "c", "10.77.2.2/30"),
              Cable.between("c", "10.77.3.0/31", "a", "10.77.3.1/31")));

  /** The triangle as {@link LoopbackFabric} lays it: each cable a /24 of 127.0.0.0/8. */
  public static final Topology LOOPBACK =
      new Topology("loopback", TRIANGLE.nodes(), TRIANGLE.cables());

  /** Two nodes with two cables between them. */
  public static final Topology PAIR_TWO_CABLES =
      new Topology(
          "pair-two-cables",
          List.of("a", "b"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("a", "10.77.2.1/24", "b", "10.77.2.2/24")));

  /** A cable with a /31: both addresses of the subnet are hosts (RFC 3021). */
  public static final Topology SLASH31 =
      new Topology(
          "slash31",
          List.of("a", "b"),
          List.of(Cable.between("a", "10.77.3.0/31", "b", "10.77.3.1/31")));

  /** A triangle whose third cable has IPv6 addresses only. */
  public static final Topology IPV6_CABLE =
      new Topology(
          "ipv6-cable",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/30", "c", "10.77.2.2/30"),
              Cable.between("c", "fd77:3::1/64", "a", "fd77:3::2/64")));

  /** Two nodes and nothing but IPv6. */
  public static final Topology IPV6_ONLY =
      new Topology(
          "ipv6-only",
          List.of("a", "b"),
          List.of(Cable.between("a", "fd77:1::1/64", "b", "fd77:1::2/64")));

  /**
   * A triangle whose cables have link-local addresses only, the same two on each: nothing but its
   * interface tells one address from another.
   */
  public static final Topology LINK_LOCAL =
      new Topology(
          "link-local",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "fe80::1/64", "b", "fe80::2/64"),
              Cable.between("b", "fe80::1/64", "c", "fe80::2/64"),
              Cable.between("a", "fe80::1/64", "c", "fe80::2/64")));

  /** One end sends jumbo frames, the other drops them. */
  public static final Topology MTU_MIX =
      new Topology(
          "mtu-mix",
          List.of("a", "b"),
          List.of(Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24").withMtu(1500, 9000)));

  /** Two cables to different peers that were given the same subnet. */
  public static final Topology SAME_SUBNET_TWICE =
      new Topology(
          "same-subnet-twice",
          List.of("a", "b", "c"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("a", "10.77.1.3/24", "c", "10.77.1.4/24")));

  private static final List<Topology> ALL =
      List.of(
          PAIR,
          TRIANGLE,
          LOOPBACK,
          PAIR_TWO_CABLES,
          SLASH31,
          IPV6_CABLE,
          IPV6_ONLY,
          LINK_LOCAL,
          MTU_MIX,
          SAME_SUBNET_TWICE);

  private Topologies() {}

  /** All of the above. */
  public static List<Topology> all() {
    return ALL;
  }

  /** The one with this name. */
  public static Optional<Topology> named(String name) {
    return ALL.stream().filter(topology -> topology.name().equals(name)).findFirst();
  }

  /**
   * A cable between each two of some nodes.
   *
   * @param nodeCount 2 to 16
   */
  public static Topology fullMesh(int nodeCount) {
    if (nodeCount < 2 || nodeCount > 16) {
      throw new IllegalArgumentException(nodeCount + " nodes; a mesh has 2 to 16");
    }
    List<String> nodes = new ArrayList<>();
    List<Cable> cables = new ArrayList<>();
    for (int node = 0; node < nodeCount; node++) {
      nodes.add(String.valueOf((char) ('a' + node)));
      for (int peer = 0; peer < node; peer++) {
        String subnet = "10.78." + (cables.size() + 1);
        cables.add(
            Cable.between(nodes.get(peer), subnet + ".1/24", nodes.get(node), subnet + ".2/24"));
      }
    }
    return new Topology("mesh-of-" + nodeCount, nodes, cables);
  }
}
