// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs in software: reliable connected queue pairs over TCP, over a simulated wire in virtual
 * time, or over flows of an overlay (in mesh-transport). This package has the provider alone; the
 * parts are below it.
 *
 * <pre>
 *   softverbs                 SoftProvider: opens a device on TCP
 *     |        \
 *     v         v
 *   .tcp ---> .host           connections, streams, who drives | interfaces and kernel tables
 *     |
 *     v        .sim           cables in memory, virtual time: the module soft-verbs-sim
 *   .rc  <------/             the rules of devices, queue pairs and memory: no socket, no thread
 *     |
 *     v
 *   .frame                    headers and payloads
 *
 *   SoftDevice -> SoftProtectionDomain -> SoftMemoryRegion
 *       |                  |
 *       |                  +-> SoftQueuePair  what callers post to
 *       |                           |
 *       |                       RcEngine -> Requester / Responder
 *       |                           |
 *    Network ----------------> FrameStream    carries the frames of one queue pair
 *  TcpNetwork | SimulatedNode   TcpStream | SimulatedStream
 * </pre>
 *
 * <p>One lock per device guards everything but the wait for the kernel. Threads: a caller that
 * polls moves bytes; while no caller polls, one thread per device serves the peers.
 *
 * <p>Tests: {@code SoftTcpContractTest} runs the verbs' contract over TCP, {@code
 * SoftSimulatedContractTest} in the simulator.
 */
package io.meshtransport.softverbs;
