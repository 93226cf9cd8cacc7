// SPDX-License-Identifier: Apache-2.0
/**
 * TCP below soft devices: {@link io.meshtransport.softverbs.tcp.TcpNetwork} and what belongs to it.
 *
 * <pre>
 *   TcpNetwork -> TcpPeer -> MuxConnection -> TcpStream     one connection per peer device
 *       |            |            |
 *       |            |            +-> FrameWriter, FrameReader, FrameDispatcher, MuxSocket
 *       |            |            +-> ConnectionHealth, HostProbe     is the peer alive?
 *       |            +-> TcpConnector                                 dials
 *       +-> Listeners -> TcpAcceptor -> PendingConnection             accepts; Preamble
 *       +-> Driver -> DeviceSelector -> SelectionHandler              which thread moves bytes
 * </pre>
 *
 * <p>Below are {@code rc}, {@code frame} and {@code host}; above is the provider.
 *
 * <p>Tests of a class have its name, or are:
 *
 * <ul>
 *   <li>{@code Driver}, {@code DriverQueue}, {@code DeferredFlushes}: SeveralWaitersTest,
 *       DriverFailureTest, CoalescingTest, DeferredSendTest
 *   <li>{@code MuxConnection}, {@code TcpStream}, {@code FrameReader}, {@code FrameDispatcher}:
 *       HostileConnectionTest, SuspectConnectionTest, FairSharingTest, ManyQueuePairsTest,
 *       DestroyedInMidFrameTest, SendBufferTest
 *   <li>{@code TcpPeer}, {@code TcpConnector}, {@code HostProbe}: SuspectConnectionTest,
 *       SoftReconnectTest
 *   <li>{@code TcpAcceptor}, {@code PendingConnection}: HostileConnectionTest, SoftTcpTest,
 *       AcceptWithoutDescriptorTest
 *   <li>{@code Preamble}, {@code WireProof}: WireFormatTest; every state: TcpStatesTest
 * </ul>
 */
package io.meshtransport.softverbs.tcp;
