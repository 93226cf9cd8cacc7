// SPDX-License-Identifier: Apache-2.0
/**
 * Counters and latencies: written on the data path without a lock, read by any thread, summed by
 * NIC and peer for {@code Transport.statistics}.
 *
 * <p>Uses nothing of this module. {@code StatisticsTest} and {@code ChannelLatenciesTest} test it.
 */
package io.meshtransport.transport.stats;
