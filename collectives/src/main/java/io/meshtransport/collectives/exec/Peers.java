// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.spi.RemoteMemory;

/**
 * What an operation has of the memory of its peers.
 *
 * @param scratch by rank; null for a rank without
 * @param results by rank, where results go; null for a rank without
 * @param resultsAt by rank: where the operation's range begins in its results
 */
public record Peers(RemoteMemory[] scratch, RemoteMemory[] results, long[] resultsAt) {}
