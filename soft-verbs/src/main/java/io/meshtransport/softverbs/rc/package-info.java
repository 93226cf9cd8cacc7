// SPDX-License-Identifier: Apache-2.0
/**
 * Reliable connected queue pairs without a socket, a thread or a clock of their own: devices,
 * memory, queues, and the two halves of the protocol ({@code Requester}, {@code Responder}). What
 * they stand on is {@link io.meshtransport.softverbs.rc.Network}, which makes a {@link
 * io.meshtransport.softverbs.rc.FrameStream} for each queue pair.
 *
 * <p>Below is {@code frame}; above are {@code tcp} and the simulator, which implement {@code
 * Network}.
 *
 * <p>Tests: {@code WorkQueueTest}, {@code MemoryKeysTest}, {@code RnrTimerTest} and {@code
 * ResponderStateTest} have their class's name. {@code Requester}, {@code Responder} and {@code
 * RcEngine} are tested by the verbs' contract over both networks, by {@code SimulatedFabricTest},
 * {@code SimulatedReconnectTest} and {@code SimulatedAckRequestTest}, against a peer that breaks
 * the rules by {@code HostileRequestTest}, and for coalescing by {@code DeferredSendTest}.
 */
package io.meshtransport.softverbs.rc;
