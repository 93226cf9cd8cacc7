// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/** How long a requester waits after an RNR NAK: InfiniBand 1.4 table 46. */
public final class RnrTimer {
  /** By timer code, in units of 10 us. */
  private static final int[] TENS_OF_MICROS = {
    65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024,
    1_536, 2_048, 3_072, 4_096, 6_144, 8_192, 12_288, 16_384, 24_576, 32_768, 49_152
  };

  private RnrTimer() {}

  /**
   * @param code 0 to 31; other bits, which only a foreign peer could send, are ignored
   */
  public static long waitNs(int code) {
    return TENS_OF_MICROS[code & 31] * 10_000L;
  }
}
