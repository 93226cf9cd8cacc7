// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a channel that connects is to have, if it can.
 *
 * @param cables at most
 * @param perCable queue pairs on each
 */
record RailSettings(int cables, int perCable) {
  /** How many rails there can be over these ways, at most. */
  int mostOver(List<Candidate> candidates) {
    return Math.min(Rails.MAX, perCable * Math.min(cables, mostCables(candidates)));
  }

  /** Each cable takes one NIC at either end. */
  private static int mostCables(List<Candidate> candidates) {
    Set<Object> locals = new HashSet<>();
    Set<Object> remotes = new HashSet<>();
    for (Candidate candidate : candidates) {
      locals.add(candidate.nic());
      remotes.add(candidate.remote().nicIndex());
    }
    return Math.min(locals.size(), remotes.size());
  }
}
