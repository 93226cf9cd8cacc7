// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.logging.log4j.Logger;

/**
 * What this node claims of itself: its name, its handle and its incarnation. Others may claim the
 * same name: a former process of this node, or another node by mistake. Any thread may read {@link
 * #self()}; the directory's lock guards the rest.
 */
final class SelfClaim {
  /**
   * How often the own incarnation is raised over a claim of the same name, before a second live
   * node of that name is the likelier cause.
   */
  private static final int MAX_RAISED = 3;

  /** Different claimants of the own address that are reported. */
  private static final int MAX_REPORTS = 16;

  private final Logger log;
  private final String remedy;
  private final Set<String> reported = new HashSet<>();
  private volatile Node self;
  private int raised;

  /**
   * @param remedy what to do about two nodes of one name whose labels differ, a sentence
   */
  SelfClaim(Node self, String remedy, Logger log) {
    this.self = self;
    this.remedy = remedy;
    this.log = log;
  }

  /** This node; its incarnation and its handle change. */
  Node self() {
    return self;
  }

  /**
   * This node has another handle.
   *
   * @return this node as it is announced from now on; empty if that is its handle already
   */
  Optional<Node> updateHandle(byte[] handle, long nowMs) {
    Node own = self;
    if (own.hasHandle(handle)) {
      return Optional.empty();
    }
    long newer = Math.min(Node.MAX_INCARNATION, Math.max(nowMs, own.incarnation() + 1));
    self = own.withHandle(handle, newer);
    return Optional.of(self);
  }

  /**
   * Another claim of the own name was heard of. If it is by gossip, of the own label and not older,
   * this node refutes it by a greater incarnation, as in SWIM; otherwise it is reported.
   *
   * @param isIntroduced whether the claimant itself made the claim
   * @return this node with the raised incarnation, if it was raised
   */
  Optional<Node> contest(Node claimant, boolean isIntroduced) {
    Node own = self;
    boolean isFormer = !isIntroduced && claimant.incarnation() < own.incarnation();
    if (isFormer || claimant.id().equals(own.id())) {
      return Optional.empty();
    }
    boolean isNamesake = claimant.label().equals(own.label());
    if (isNamesake
        && !isIntroduced
        && raised < MAX_RAISED
        && claimant.incarnation() < Node.MAX_INCARNATION) {
      raised++;
      self = own.withIncarnation(claimant.incarnation() + 1);
      log.debug("{}: others know a greater incarnation of this node; claiming a greater one", own);
      return Optional.of(self);
    }
    report(claimant, isNamesake);
    return Optional.empty();
  }

  private void report(Node claimant, boolean isNamesake) {
    if (reported.size() >= MAX_REPORTS || !reported.add(claimant.label())) {
      return;
    }
    if (isNamesake) {
      log.error(
          "Another live node calls itself {} too: messages go to one or the other. Give each node a"
              + " name of its own.",
          self);
    } else {
      log.error(
          "Node {} has the name {}, and so has this node, {}: messages go to one or the other. {}",
          claimant.label(),
          claimant.name(),
          self.label(),
          remedy);
    }
  }
}
