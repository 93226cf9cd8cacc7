// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

/**
 * The result of one benchmark on one Java.
 *
 * @param name of the benchmark with its parameters, as in {@code ChannelOperations.lone 64}
 * @param nanos per message
 * @param errorNanos half of the 99.9 % confidence interval; NaN of fewer than two iterations
 * @param minNanos of the best iteration, which other programs on the host disturbed least
 * @param bytes that a message leaves to the collector
 */
public record DowncallResult(
    String name, double nanos, double errorNanos, double minNanos, double bytes) {}
