// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.MeshLink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/**
 * Which members a member connects to: with a mesh, those that it has a cable to, or all where
 * cables do not join the members; without one, those that it finds a route to.
 */
final class Neighbourhood {
  private static final long PAUSE_NS = 5_000_000;

  /** How long the cables must have been the same: nodes find each other at about the same time. */
  private static final long QUIET_NS = 300_000_000;

  /** Without a path of cables between all members for so long, there is none. */
  private static final long DISCONNECTED_NS = 2_000_000_000L;

  private final List<List<MeshLink>> cables;
  private final boolean isMesh;
  private final boolean isCabled;
  private final IntPredicate current;

  private Neighbourhood(
      List<List<MeshLink>> cables, boolean isMesh, boolean isCabled, IntPredicate current) {
    this.current = current;
    this.cables = cables;
    this.isMesh = isMesh;
    this.isCabled = isCabled;
  }

  /** With a mesh, waits until its cables have not changed for a moment. */
  static Neighbourhood of(Reception reception, GroupMembership membership, Deadline deadline)
      throws CollectiveException {
    if (reception.mesh().isEmpty()) {
      return new Neighbourhood(List.of(), false, true, rank -> true);
    }
    MeshRendezvous mesh = reception.mesh().get();
    long beginNs = System.nanoTime();
    long sinceNs = beginNs;
    List<List<MeshLink>> all = cables(mesh.mesh().links(), membership.names());
    while (deadline.leftNs() > 0) {
      LockSupport.parkNanos(PAUSE_NS);
      if (Thread.currentThread().isInterrupted()) {
        throw GroupJoin.failure(
            CollectiveException.Reason.INTERRUPTED,
            membership.spec() + ": the thread was interrupted while it waited for cables.",
            null);
      }
      List<List<MeshLink>> now = cables(mesh.mesh().links(), membership.names());
      if (!ends(now).equals(ends(all))) {
        sinceNs = System.nanoTime();
      }
      all = now;
      long quietNs = System.nanoTime() - sinceNs;
      boolean isJoined = isConnected(all, membership.size());
      if (quietNs > (isJoined ? QUIET_NS : DISCONNECTED_NS)) {
        break;
      }
    }
    int size = membership.size();
    List<String> names = membership.names();
    return new Neighbourhood(
        all.subList(size * membership.rank(), size * (membership.rank() + 1)),
        true,
        isConnected(all, size),
        rank ->
            !cables(mesh.mesh().links(), List.of(names.get(membership.rank()), names.get(rank)))
                .get(1)
                .isEmpty());
  }

  /** Of each pair of ranks. */
  static List<List<MeshLink>> cables(List<MeshLink> links, List<String> names) {
    int size = names.size();
    List<List<MeshLink>> all = new ArrayList<>();
    for (int pair = 0; pair < size * size; pair++) {
      all.add(new ArrayList<>());
    }
    for (MeshLink each : links) {
      int one = names.indexOf(each.one().name());
      int other = names.indexOf(each.other().name());
      if (one >= 0 && other >= 0 && one != other) {
        all.get(one * size + other).add(each);
        all.get(other * size + one).add(each);
      }
    }
    return all;
  }

  private static List<Integer> ends(List<List<MeshLink>> cables) {
    return cables.stream().map(List::size).toList();
  }

  private static boolean isConnected(List<List<MeshLink>> cables, int size) {
    boolean[] reached = new boolean[size];
    List<Integer> queue = new ArrayList<>(List.of(0));
    reached[0] = true;
    for (int i = 0; i < queue.size(); i++) {
      for (int next = 0; next < size; next++) {
        if (!reached[next] && !cables.get(queue.get(i) * size + next).isEmpty()) {
          reached[next] = true;
          queue.add(next);
        }
      }
    }
    return queue.size() == size && Arrays.equals(reached, filled(size));
  }

  private static boolean[] filled(int size) {
    boolean[] all = new boolean[size];
    Arrays.fill(all, true);
    return all;
  }

  /** Whether cables are known. */
  boolean isMesh() {
    return isMesh;
  }

  /** Whether a cable leads to another rank still, as far as cables are known. */
  boolean isCabledNow(int rank) {
    return current.test(rank);
  }

  /** Whether cables join all members, or routes are found without knowing cables. */
  boolean isCabled() {
    return isCabled;
  }

  /** Whether this rank is to try to connect to another. */
  boolean mayReach(int rank) {
    return !isMesh || !isCabled || !cables(rank).isEmpty();
  }

  /** Whether a connection to another rank is there in time, or the group cannot be joined. */
  boolean mustReach(int rank) {
    return isMesh && (!isCabled || !cables(rank).isEmpty());
  }

  /** The cables to another rank, as far as they are known. */
  List<MeshLink> cables(int rank) {
    return isMesh ? cables.get(rank) : List.of();
  }

  /** Whether the connection to another rank goes over relays. */
  boolean isRelayed(int rank) {
    return isMesh && cables(rank).isEmpty();
  }
}
