// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.concurrent.TimeUnit;

/** What a relay passes on, as it is shown to others: rounded, so that it seldom changes. */
final class RelayLoad {
  /** Between two looks. */
  static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

  /** Less than that is keep-alives. */
  static final long LEAST_BYTES_PER_SECOND = 10_000;

  /** Of two digits. */
  private static final long DIGITS = 100;

  private static final double NS_OF_S = 1e9;

  private boolean isBegun;
  private long bytes;
  private long atNs;

  /**
   * A look.
   *
   * @param bytesSoFar since the relay began
   * @return bytes per second since the look before, to two digits; 0 the first time, and for next
   *     to nothing
   */
  long at(long bytesSoFar, long nowNs) {
    long passed = bytesSoFar - bytes;
    long tookNs = nowNs - atNs;
    boolean isFirst = !isBegun;
    isBegun = true;
    bytes = bytesSoFar;
    atNs = nowNs;
    return isFirst || tookNs <= 0 ? 0 : rounded((long) (passed / (tookNs / NS_OF_S)));
  }

  private static long rounded(long bytesPerSecond) {
    if (bytesPerSecond < LEAST_BYTES_PER_SECOND) {
      return 0;
    }
    long unit = 1;
    while (bytesPerSecond / unit >= DIGITS) {
      unit *= 10;
    }
    return (bytesPerSecond + unit / 2) / unit * unit;
  }
}
