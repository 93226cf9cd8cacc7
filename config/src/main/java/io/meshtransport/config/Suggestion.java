// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Guesses which name a user meant: the known name with the smallest edit distance. */
public final class Suggestion {
  private Suggestion() {}

  /** The nearest known name; empty if even that one takes more edits than half its length. */
  public static Optional<String> of(String name, List<String> known) {
    return known.stream()
        .filter(candidate -> Math.abs(candidate.length() - name.length()) <= candidate.length() / 2)
        .min(Comparator.comparingInt((String candidate) -> editDistance(name, candidate)))
        .filter(candidate -> editDistance(name, candidate) <= candidate.length() / 2);
  }

  /** Levenshtein distance: how many characters to insert, delete or replace. */
  static int editDistance(String from, String to) {
    int[] previous = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] current = new int[to.length() + 1];
      current[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[to.length()];
  }
}
