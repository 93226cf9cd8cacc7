// SPDX-License-Identifier: Apache-2.0
/**
 * Channels on our own wire: messages into receives that the peer has advertised, puts and gets.
 * {@link io.meshtransport.transport.message.MeshSendChannel} and {@link
 * io.meshtransport.transport.message.MeshReceiveChannel} are what programs hold; the way of a
 * message goes from there down through {@code TaggedSends} and {@code MessageSendQueue} to an
 * endpoint.
 *
 * <p>The hot path: it allocates nothing, blocks on nothing and logs nothing. Above it is {@code
 * connect}, which makes channels; below it {@code rail} and {@code channel}. {@code
 * SimulatedChannelTest}, {@code SimulatedRailsTest} and {@code SimulatedOneSidedTest} hold it to
 * its promises over seeded networks, the transport's contract tests over sockets and devices.
 */
package io.meshtransport.transport.message;
