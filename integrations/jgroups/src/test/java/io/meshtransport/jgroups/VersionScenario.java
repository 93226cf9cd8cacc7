// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.Callable;
import org.jgroups.Version;

/**
 * A group of three comes together, talks, passes a state on, and parts; one that dies is excluded.
 * {@link VersionsTest} loads it with the JGroups it is to run on, and calls it through what every
 * class loader shares.
 */
public final class VersionScenario implements Callable<String> {
  /** The smallest, two that fill one bundle, one of several fragments, and a long one. */
  private static final int[] SIZES = {1, 1_000, 60_000, 64_000, 300_000, 3_000_000};

  private static final int STATE_BYTES = 5_000_000;

  private static final String HEARTBEATS = "jgroups.mesh.fd_timeout";

  /** Longer than any test waits, in milliseconds. */
  private static final String PATIENTLY = "600000";

  private final String stack;
  private final String subnet;

  /**
   * @param subnet of /24, as in {@code 127.77.1}
   */
  public VersionScenario(String stack, String subnet) {
    this.stack = stack;
    this.subnet = subnet;
  }

  /**
   * Runs it.
   *
   * @return the version of JGroups that it ran on
   */
  @Override
  public String call() throws Exception {
    System.setProperty(HEARTBEATS, PATIENTLY);
    try (LoopbackMember a = join("a", 1, "");
        LoopbackMember b = join("b", 2, a.seed(subnet + ".1"));
        LoopbackMember c = join("c", 3, a.seed(subnet + ".1"))) {
      List<LoopbackMember> all = List.of(a, b, c);
      for (LoopbackMember member : all) {
        member.awaitView("a", "b", "c");
      }
      exchange(all);
      for (LoopbackMember member : all) {
        long bundles = member.mesh().getBundlesSent();
        long copies = member.mesh().getCopies();
        // Where no buffer was free; and of parts, but fragments are no longer than a buffer.
        assertTrue(copies * 10 <= bundles, copies + " copies of " + bundles + " bundles");
      }
      if (stack.equals("mesh.xml")) {
        a.provideState(STATE_BYTES);
        c.fetchState(a);
      }
      b.leave();
      a.awaitView("a", "c");
      c.awaitView("a", "c");
      suspect(a, c);
    } finally {
      System.clearProperty(HEARTBEATS);
    }
    return Version.major + "." + Version.minor + "." + Version.micro;
  }

  /** Of two suspects one is alive, and stays; no member waits for heartbeats of the other. */
  private void suspect(LoopbackMember leader, LoopbackMember living) throws Exception {
    try (LoopbackMember dead = join("d", 4, leader.seed(subnet + ".1"))) {
      leader.awaitView("a", "c", "d");
      living.awaitView("a", "c", "d");
      dead.mesh().stop();
      leader.mesh().group.suspect(living.channel().getAddress());
      leader.mesh().group.suspect(dead.channel().getAddress());
      leader.awaitView("a", "c");
      living.awaitView("a", "c");
    }
  }

  private LoopbackMember join(String name, int host, String seeds) throws Exception {
    return LoopbackMember.join(stack, name, subnet + "." + host, seeds);
  }

  private static void exchange(List<LoopbackMember> all) throws Exception {
    for (LoopbackMember from : all) {
      from.multicast(SIZES);
      for (LoopbackMember to : all) {
        from.unicast(to, SIZES);
      }
    }
    for (LoopbackMember to : all) {
      for (LoopbackMember from : all) {
        to.awaitMulticasts(from, SIZES);
        to.awaitUnicasts(from, SIZES);
      }
      assertEquals(3, to.channel().getView().size());
    }
  }
}
