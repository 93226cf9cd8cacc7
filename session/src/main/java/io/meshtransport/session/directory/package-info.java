// SPDX-License-Identifier: Apache-2.0
/**
 * Which nodes there are, and how they are found and removed. A {@link
 * io.meshtransport.session.directory.Node} is one process on the mesh; the {@link
 * io.meshtransport.session.directory.Directory} has all that this node knows, from their own
 * introductions and from the gossip of others; {@link
 * io.meshtransport.session.directory.DirectoryMessage} is the message in which nodes report nodes
 * to each other. {@link io.meshtransport.session.directory.SeedNodes} puts them together and is a
 * session's source of handles.
 *
 * <p>Finding: {@code Seeds} queries addresses on cables, {@code UnresolvedDestinations} those that
 * the layer above sends to, {@code DialQueue} dials candidates.
 *
 * <p>Below: the package above this one, and the SPI. Above: {@link
 * io.meshtransport.session.directory.Membership} is what a layer above adds.
 *
 * <p>Each class has a test of its name, except: {@code DirectoryEntry}, {@code NodeTable}, {@code
 * SelfClaim} and {@code DirectoryListeners} ({@code DirectoryTest}); {@code SeedStatus}, {@code
 * AwaitedIntroductions} and {@code InitialDiscovery} ({@code SeedsTest}); {@code
 * UnresolvedDestinations} and {@code Membership} ({@code SeedNodesTest}).
 */
package io.meshtransport.session.directory;
