// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.util.Locale;

/** Measured numbers as people read them. */
final class Numbers {
  private static final int PERCENT = 100;

  private Numbers() {}

  /** Three digits, or all of a larger number. */
  static String figure(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  }

  static String ratio(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f%%", part * PERCENT);
  }
}
