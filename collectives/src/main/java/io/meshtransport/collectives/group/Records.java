// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What the members have told each other, by rounds: in each, every rank has one record for all. All
 * ranks have the same rounds in the same order; a fast one may be a round ahead. One thread at a
 * time.
 */
final class Records {
  /** A rank cannot begin a round before all have begun the one before. */
  private static final int MAX_ROUNDS_AHEAD = 2;

  private final int size;
  private final Map<Integer, byte[][]> rounds = new HashMap<>();
  private int round;

  Records(int size) {
    this.size = size;
  }

  /** The round that this rank is in, or enters next. */
  int round() {
    return round;
  }

  /** Whether it is news, to be passed on. */
  boolean add(RankMessage message) {
    if (message.round() < round || message.round() > round + MAX_ROUNDS_AHEAD) {
      return false;
    }
    byte[][] records = rounds.computeIfAbsent(message.round(), key -> new byte[size][]);
    boolean isNew = records[message.origin()] == null;
    if (isNew) {
      records[message.origin()] = message.body();
    }
    return isNew;
  }

  boolean isComplete() {
    return missing().isEmpty();
  }

  TreeSet<Integer> missing() {
    byte[][] records = rounds.getOrDefault(round, new byte[size][]);
    TreeSet<Integer> ranks = new TreeSet<>();
    for (int rank = 0; rank < size; rank++) {
      if (records[rank] == null) {
        ranks.add(rank);
      }
    }
    return ranks;
  }

  /** What one rank has told in this round, if the other has not. */
  Optional<byte[]> ahead(int other, int rank) {
    byte[][] records = rounds.getOrDefault(round, new byte[size][]);
    return records[other] == null ? Optional.ofNullable(records[rank]) : Optional.empty();
  }

  /** All of this round, by rank, which ends with it. */
  byte[][] end() {
    return rounds.remove(round++);
  }

  /** Everything that is known, for a neighbour that has just come. */
  List<RankMessage> known() {
    List<RankMessage> all = new ArrayList<>();
    rounds.forEach(
        (number, records) -> {
          for (int rank = 0; rank < size; rank++) {
            if (records[rank] != null) {
              all.add(new RankMessage(RankMessage.Kind.RECORD, rank, number, records[rank]));
            }
          }
        });
    return all;
  }
}
