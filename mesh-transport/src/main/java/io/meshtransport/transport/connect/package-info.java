// SPDX-License-Identifier: Apache-2.0
/**
 * Set-up of channels: {@link io.meshtransport.transport.connect.Connector} for the end that
 * connects, {@link io.meshtransport.transport.connect.ChannelAcceptor} for the end that accepts,
 * {@link io.meshtransport.transport.connect.MeshListener} for channels that wait for a program.
 * Set-up may allocate, wait, log and throw; a channel that is ready never comes back here, except
 * for further rails ({@link io.meshtransport.transport.connect.RailConnector}).
 *
 * <p>Above it are the transport and {@code ncclmesh}; below it {@code message}, whose channels it
 * makes, {@code route}, which it asks for candidates, and the module handshake, which carries its
 * bytes. {@code CandidateRaceTest}, {@code RailDampingTest} and {@code ChannelPromiseTest} take
 * single classes; {@code SideBySideTest}, {@code RailOfferedTwiceTest} and {@code OddPeerTest} take
 * all of it with peers that are played.
 */
package io.meshtransport.transport.connect;
