// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.OtherSecret;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * What arrived on an interface without being of a neighbour: hellos of this node itself, of another
 * job, of another secret. Each observation lasts {@value #LIFETIME_S} seconds, so it ends when the
 * cable is moved.
 */
public final class CableEvidence {
  /** Longer than the pause between two hellos to the group. */
  static final int LIFETIME_S = 15;

  /** So many hellos of one node in a row are not all damaged. */
  private static final int MIN_HELLOS = 3;

  /** How long an observation lasts. */
  public static final long LIFETIME_NS = TimeUnit.SECONDS.toNanos(LIFETIME_S);

  /** What was seen last, and when. */
  private record Observation<T>(T what, long atNs) {
    boolean isFresh(long nowNs) {
      return nowNs - atNs < LIFETIME_NS;
    }
  }

  private Observation<Integer> ownInterface = new Observation<>(0, Long.MIN_VALUE / 2);
  private Observation<String> otherJob = new Observation<>("", Long.MIN_VALUE / 2);
  private Observation<Optional<OtherSecret>> otherSecret =
      new Observation<>(Optional.empty(), Long.MIN_VALUE / 2);
  private NodeId suspect = new NodeId(0, 0);
  private int suspected;
  private Observation<Integer> refused = new Observation<>(0, Long.MIN_VALUE / 2);

  /** A hello that this node sent from another of its interfaces. */
  public void ownInterface(int index, long nowNs) {
    ownInterface = new Observation<>(index, nowNs);
  }

  /**
   * A hello of another job.
   *
   * @param sender for people
   */
  public void otherJob(String sender, long nowNs) {
    otherJob = new Observation<>(sender, nowNs);
  }

  /**
   * A hello with another secret, or a damaged one: counts from the third of the same node.
   *
   * @param node that it names
   * @param seen who says so; nothing proves it
   */
  public void otherSecret(NodeId node, OtherSecret seen, long nowNs) {
    suspected = node.equals(suspect) ? suspected + 1 : 1;
    suspect = node;
    if (suspected >= MIN_HELLOS) {
      otherSecret = new Observation<>(Optional.of(seen), nowNs);
    }
  }

  /** A hello of one node more than the interface keeps. */
  void neighbourRefused(long nowNs) {
    refused = new Observation<>(1, nowNs);
  }

  /** The interface of this node that the cable leads back to. */
  public OptionalInt ownInterface(long nowNs) {
    return ownInterface.isFresh(nowNs) ? OptionalInt.of(ownInterface.what()) : OptionalInt.empty();
  }

  /** The node of another job. */
  public Optional<String> otherJob(long nowNs) {
    return otherJob.isFresh(nowNs) ? Optional.of(otherJob.what()) : Optional.empty();
  }

  /** The node with another secret. */
  public Optional<OtherSecret> otherSecret(long nowNs) {
    return otherSecret.isFresh(nowNs) ? otherSecret.what() : Optional.empty();
  }

  /** Whether there are more nodes on the cable than are kept. */
  public boolean hasRefused(long nowNs) {
    return refused.isFresh(nowNs);
  }
}
