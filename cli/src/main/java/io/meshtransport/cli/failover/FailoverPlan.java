// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

/**
 * How much a demo of failover sends.
 *
 * @param bytes under which the cable is pulled, a whole number of messages
 * @param probeBytes sent again and again afterwards, until they take the cable
 * @param messageBytes longer than a chunk, so that the cable is pulled in mid-message
 * @param limitMs longest gap that the receiver may see
 */
public record FailoverPlan(long bytes, long probeBytes, int messageBytes, long limitMs) {
  /** On cables of 1 Gb/s: some ten seconds. */
  public static final FailoverPlan HOST = new FailoverPlan(1L << 30, 16 << 20, 1 << 20, 2000);

  /** For guests, whose emulated cables carry less. */
  public static final FailoverPlan LAB = new FailoverPlan(128 << 20, 8 << 20, 1 << 20, 10_000);
}
