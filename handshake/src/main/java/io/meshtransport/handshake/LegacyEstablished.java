// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * A connect to a C plugin's listener that succeeded: both queue pairs can receive and send.
 *
 * @param peer the listener's queue pair
 * @param attempts TCP connections it took, from 1
 * @param durationNs from {@link Handshaker#connectLegacy} to the end of {@link LegacyBringUp}, in
 *     nanoseconds
 */
public record LegacyEstablished(LegacyEndpoint peer, int attempts, long durationNs) {}
