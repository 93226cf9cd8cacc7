// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What holds for every pair of hosts. A failing run prints its seed; {@code @Property(seed =
 * "...")} takes it back.
 */
class RouterLawsTest {
  @Property
  void shouldAgreeWithABitByBitOracle(
      @ForAll("addresses") LinkAddress ours, @ForAll("addresses") LinkAddress theirs) {
    Routes routes = one(ours).routesTo(one(theirs));

    boolean expected = Oracle.routes(ours, theirs);
    assertEquals(expected ? 1 : 0, routes.candidates().size(), ours + " and " + theirs);
  }

  @Property
  void shouldListEveryPairExactlyOnce(@ForAll("hosts") Host here, @ForAll("hosts") Host there) {
    Routes routes = here.routesTo(there);

    List<String> expected = new ArrayList<>();
    for (Nic nic : here.nics()) {
      for (NicAddress local : nic.addresses()) {
        for (HandleAddress remote : there.asPeer()) {
          expected.add(nic.device() + local.gid() + remote);
        }
      }
    }
    List<String> listed = new ArrayList<>();
    routes.candidates().forEach(c -> listed.add(c.nic().device() + c.local().gid() + c.remote()));
    routes
        .rejected()
        .forEach(
            r -> listed.add(r.pair().nic().device() + r.pair().local().gid() + r.pair().remote()));
    Collections.sort(expected);
    Collections.sort(listed);
    assertEquals(expected, listed);
  }

  @Property
  void shouldFindTheSamePairsFromBothEnds(@ForAll("hosts") Host here, @ForAll("hosts") Host there) {
    Set<String> outward = new HashSet<>();
    for (Candidate way : here.routesTo(there).candidates()) {
      outward.add(
          index(here, way)
              + ""
              + way.local().link()
              + " - "
              + way.remote().nicIndex()
              + way.remote().link());
    }
    Set<String> inward = new HashSet<>();
    for (Candidate way : there.routesTo(here).candidates()) {
      inward.add(
          way.remote().nicIndex()
              + ""
              + way.remote().link()
              + " - "
              + index(there, way)
              + ""
              + way.local().link());
    }
    assertEquals(outward, inward);
  }

  @Property
  void shouldAnswerTheSameWhateverTheOrderOfItsInputs(
      @ForAll("hosts") Host here, @ForAll("hosts") Host there, @ForAll Random random) {
    List<Nic> locals = new ArrayList<>(here.nics());
    List<HandleAddress> remotes = new ArrayList<>(there.asPeer());
    Routes straight = Router.route(locals, remotes, Optional.empty(), RouterLawsTest::connections);
    Collections.shuffle(locals, random);
    Collections.shuffle(remotes, random);
    Routes shuffled = Router.route(locals, remotes, Optional.empty(), RouterLawsTest::connections);

    assertEquals(straight.candidates(), shuffled.candidates());
    assertEquals(straight.rejected(), shuffled.rejected());
  }

  @Property
  void shouldNeverPutAWorseCandidateFirst(@ForAll("hosts") Host here, @ForAll("hosts") Host there) {
    List<Candidate> ways =
        Router.route(here.nics(), there.asPeer(), Optional.empty(), RouterLawsTest::connections)
            .candidates();
    for (int i = 1; i < ways.size(); i++) {
      assertTrue(
          Oracle.score(ways.get(i - 1)).compareTo(Oracle.score(ways.get(i))) >= 0,
          ways.get(i - 1) + " before " + ways.get(i));
    }
  }

  @Property
  void shouldExplainEveryPairItRejects(
      @ForAll("addresses") LinkAddress ours, @ForAll("addresses") LinkAddress theirs) {
    for (RejectedPair pair : one(ours).routesTo(one(theirs)).rejected()) {
      assertTrue(pair.reason().length() > 20, pair.reason());
      assertTrue(
          one(ours).routesTo(one(theirs)).noRouteText("peer").contains(pair.reason()),
          pair.reason());
    }
  }

  /** What the router should say, by the most pedestrian means. */
  private static final class Oracle {
    static boolean routes(LinkAddress a, LinkAddress b) {
      String ours = bits(a.address());
      String theirs = bits(b.address());
      if (ours.length() != theirs.length() || ours.equals(theirs)) {
        return false;
      }
      if (linkLocal(ours) || linkLocal(theirs)) {
        return ours.length() == 128 && linkLocal(ours) && linkLocal(theirs);
      }
      return ours.substring(0, a.prefixLength()).equals(theirs.substring(0, a.prefixLength()))
          && ours.substring(0, b.prefixLength()).equals(theirs.substring(0, b.prefixLength()));
    }

    /** Bigger text is better. */
    static String score(Candidate way) {
      int ours = way.nic().speedMbps();
      int theirs = way.remote().speedMbps();
      int speed = ours == 0 ? theirs : theirs == 0 ? ours : Math.min(ours, theirs);
      return String.format(
          "%b %b %09d %03d %03d",
          way.nic().state() == PortState.ACTIVE,
          !linkLocal(bits(way.local().link().address())),
          speed,
          Math.min(way.local().link().prefixLength(), way.remote().link().prefixLength()),
          100 - connections(way.nic()));
    }

    private static boolean linkLocal(String bits) {
      return bits.length() == 32
          ? bits.startsWith("1010100111111110")
          : bits.startsWith("1111111010");
    }

    private static String bits(InetAddress address) {
      StringBuilder bits = new StringBuilder();
      for (byte octet : address.getAddress()) {
        bits.append(Integer.toBinaryString(0x100 | octet & 0xFF).substring(1));
      }
      return bits.toString();
    }
  }

  private static int connections(Nic nic) {
    return nic.device().hashCode() & 3;
  }

  private static int index(Host host, Candidate way) {
    return host.nics().indexOf(way.nic());
  }

  private static Host one(LinkAddress link) {
    return Host.of(Host.nic("eth1", PortState.ACTIVE, 0, List.of(link)));
  }

  /** Up to four NICs whose addresses collide, overlap and repeat far more than in real life. */
  @Provide
  Arbitrary<Host> hosts() {
    Arbitrary<List<LinkAddress>> links = addresses().list().ofMinSize(1).ofMaxSize(3);
    Arbitrary<Nic> nics =
        Combinators.combine(
                Arbitraries.of(PortState.class), Arbitraries.of(0, 1_000, 100_000), links)
            .as((state, speed, addresses) -> Host.nic("?", state, speed, addresses));
    return nics.list().ofMinSize(1).ofMaxSize(4).map(RouterLawsTest::named);
  }

  private static Host named(List<Nic> nics) {
    List<Nic> named = new ArrayList<>();
    for (Nic nic : nics) {
      List<LinkAddress> links = nic.addresses().stream().map(NicAddress::link).toList();
      named.add(Host.nic("eth" + named.size(), nic.state(), nic.speedMbps(), links));
    }
    return new Host(named);
  }

  @Provide
  Arbitrary<LinkAddress> addresses() {
    return Arbitraries.oneOf(
        links(32, List.of("10.0.0.0", "10.0.1.0", "192.168.0.0", "169.254.0.0", "169.255.0.0")),
        links(128, List.of("fd00::", "fd00:0:0:1::", "2001:db8::", "fe80::", "fec0::")));
  }

  /** A well-known start with one bit flipped anywhere and a few bits at the end. */
  private static Arbitrary<LinkAddress> links(int width, List<String> starts) {
    Arbitrary<Integer> prefix =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, width),
            Arbitraries.of(0, 8, 24, 30, 31, 32, width - 2, width - 1, width));
    Arbitrary<Integer> flipped = Arbitraries.integers().between(0, 2 * width);
    return Combinators.combine(
            Arbitraries.of(starts), flipped, Arbitraries.integers().between(0, 3), prefix)
        .as((start, flip, end, length) -> link(start, flip, end, length));
  }

  private static LinkAddress link(String start, int flip, int end, int prefixLength) {
    try {
      byte[] raw = InetAddress.getByName(start).getAddress();
      if (flip < raw.length * Byte.SIZE) {
        raw[flip / Byte.SIZE] ^= (byte) (0x80 >>> flip % Byte.SIZE);
      }
      raw[raw.length - 1] ^= (byte) end;
      return new LinkAddress(InetAddress.getByAddress(raw), prefixLength);
    } catch (UnknownHostException e) {
      throw new AssertionError("literal addresses need no resolver", e);
    }
  }
}
