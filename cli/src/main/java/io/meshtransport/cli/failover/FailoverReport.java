// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

/**
 * What a demo of failover has shown.
 *
 * @param result {@value #PASS}, or {@code FAIL: } and why
 * @param bytes that were sent while the cable was pulled
 * @param longestGapMs that the receiver has seen between two messages
 * @param goalMs which that gap should not be longer than; the demo fails beyond its own limit
 *     alone, as a busy host may stop a node for as long; 0 of a demo that did not come so far
 * @param relayedBytes that the node between has passed on meanwhile
 * @param backMs from the plug until nothing went by the relay any more
 */
public record FailoverReport(
    String result, long bytes, long longestGapMs, long goalMs, long relayedBytes, long backMs) {
  /** Of a demo that has shown what it should. */
  public static final String PASS = "PASS";

  private static final double MIB = 1 << 20;

  public static FailoverReport failed(String why) {
    return new FailoverReport("FAIL: " + why, 0, 0, 0, 0, 0);
  }

  /** The same, failed after all. */
  public FailoverReport failedAfterAll(String why) {
    return new FailoverReport("FAIL: " + why, bytes, longestGapMs, goalMs, relayedBytes, backMs);
  }

  public boolean passed() {
    return result.equals(PASS);
  }

  /** In a line. */
  public String summary() {
    return "%.0f MiB from a to c with the cable pulled at half: SHA-256 equal, longest gap %d ms (goal %d ms), %.0f MiB went over b; direct again %d ms after the plug"
        .formatted(bytes / MIB, longestGapMs, goalMs, relayedBytes / MIB, backMs);
  }
}
