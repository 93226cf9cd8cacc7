// SPDX-License-Identifier: Apache-2.0
/**
 * Which nodes there are, and how they are found and removed. A {@link
 * io.meshtransport.jgroups.directory.Node} is one process on the mesh; the {@link
 * io.meshtransport.jgroups.directory.Directory} has all that this node knows, from their own
 * introductions and from the gossip of others; {@link
 * io.meshtransport.jgroups.directory.DirectoryMessage} is the message in which nodes report nodes
 * to each other.
 *
 * <p>Finding: {@code Seeds} queries addresses on cables, {@code UnresolvedDestinations} those that
 * JGroups sends to, {@code DiscoveryRelay} passes JGroups' own discovery on to all nodes. Removing:
 * {@code FailureDetector}.
 *
 * <p>Below: the SPI and JGroups' addresses, nothing of this module. Above: {@link
 * io.meshtransport.jgroups.link}, {@link io.meshtransport.jgroups}.
 *
 * <p>Each class has a test of its name, except: {@code DirectoryEntry}, {@code NodeTable}, {@code
 * SelfClaim} and {@code DirectoryListeners} ({@code DirectoryTest}); {@code SeedStatus}, {@code
 * AwaitedIntroductions} and {@code InitialDiscovery} ({@code SeedsTest}).
 */
package io.meshtransport.jgroups.directory;
