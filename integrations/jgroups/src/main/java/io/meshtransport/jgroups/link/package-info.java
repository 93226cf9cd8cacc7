// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between two nodes. A link is one direction: an {@link
 * io.meshtransport.jgroups.link.OutboundLink} is the channel that this node opened, an {@link
 * io.meshtransport.jgroups.link.InboundLink} the one that the peer opened.
 *
 * <p>Sending: {@code BundleOutput} writes a bundle into a buffer of {@code SendBufferPool}, {@code
 * BundleSender} hands the buffer to the {@code OutboundLink} of each destination, whose {@code
 * LinkSender} posts it or puts it into the {@code Backlog}; {@code InFlightSends} releases it.
 * {@code Links} has all of them, in a {@code LinkTable}; {@code DialQueue} dials candidates.
 *
 * <p>Receiving: {@code InboundLinks} accepts, each {@code InboundLink} receives into a {@code
 * ReceiveRing}, {@code BundleReassembler} joins fragments, {@code BufferDataInput} is what JGroups
 * reads from. {@code Introductions} verifies what a peer says of itself.
 *
 * <p>Below: {@link io.meshtransport.jgroups.directory}, and the SPI. Above: {@link
 * io.meshtransport.jgroups}.
 *
 * <p>Each class has a test of its name, except: {@code LinkSender}, {@code LinkWorker}, {@code
 * LinkChannel} and {@code Backlog} ({@code OutboundLinkTest}); {@code LinkTable} and {@code
 * LinkReports} ({@code LinksTest}); {@code Introductions} ({@code MeshLifeTest} and {@code
 * MeshDisturbedTest} of the module {@code jgroups-demo}).
 */
package io.meshtransport.jgroups.link;
