// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

/**
 * How a channel spends time, from the configuration. Nanoseconds.
 *
 * @param spinNs how long a waiting caller spins before it parks
 * @param silenceNs after how long without a sign of life a pending request makes the channel ask
 *     whether the peer is there
 * @param goodbyeNs how long closing waits for the peer to take note
 */
record ChannelTiming(long spinNs, long silenceNs, long goodbyeNs) {}
