// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

/** Numbers of bytes as people write them. */
public final class Sizes {
  private static final int KIBI = 1 << 10;
  private static final int MEBI = 1 << 20;

  private Sizes() {}

  /** In the largest unit that divides it: {@code 64 KiB}. */
  public static String text(long bytes) {
    if (bytes >= MEBI && bytes % MEBI == 0) {
      return bytes / MEBI + " MiB";
    }
    return bytes >= KIBI && bytes % KIBI == 0 ? bytes / KIBI + " KiB" : bytes + " B";
  }
}
