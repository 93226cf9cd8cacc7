// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Which of two names of kernels is the newer: numbers in them count as numbers, 6.1.0-9 < -10. */
final class KernelVersions {
  static final Comparator<String> OLDEST_FIRST = KernelVersions::compare;

  private static final Pattern PART = Pattern.compile("\\d+|\\D+");

  private KernelVersions() {}

  private static int compare(String one, String other) {
    List<String> left = parts(one);
    List<String> right = parts(other);
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      int order = compareParts(left.get(i), right.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(left.size(), right.size());
  }

  private static List<String> parts(String name) {
    return PART.matcher(name).results().map(MatchResult::group).toList();
  }

  private static int compareParts(String one, String other) {
    boolean areNumbers = isNumber(one) && isNumber(other);
    return areNumbers ? new BigInteger(one).compareTo(new BigInteger(other)) : one.compareTo(other);
  }

  private static boolean isNumber(String part) {
    return Character.isDigit(part.charAt(0));
  }
}
