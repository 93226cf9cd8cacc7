// SPDX-License-Identifier: Apache-2.0
/**
 * The rails of one channel, an endpoint each: which is the primary, which is lost, who joins; and
 * what shares the chunks of long messages out over them by measured rate.
 *
 * <p>Above it is {@code message}, which says through {@code RailEvents} what the end of a rail
 * means for messages; below it {@code channel}. Knows nothing of messages. {@code
 * ChunkSchedulerTest}, {@code ChunkQueueTest} and {@code PlacementsTest} take single classes,
 * {@code SimulatedRailsTest} cuts cables.
 */
package io.meshtransport.transport.rail;
