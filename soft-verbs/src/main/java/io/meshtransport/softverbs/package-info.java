// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs in software: reliable connected queue pairs over TCP, or over a simulated wire in
 * virtual time.
 *
 * <pre>
 *   SoftProvider -> SoftDevice -> SoftProtectionDomain -> SoftMemoryRegion
 *                       |                  |
 *                       |                  +-> SoftQueuePair  what callers post to
 *                       |                           |
 *                       |                       RcEngine      the rules; no I/O, no threads
 *                       |                      Requester / Responder
 *                       |                           |
 *                    Network ----------------> FrameStream    carries frames of one queue pair
 *               TcpNetwork | SimulatedNode    TcpStream | SimulatedStream
 * </pre>
 *
 * <p>One lock per device guards everything but the wait for the kernel. Threads: a caller that
 * polls moves bytes; while no caller polls, one thread per device serves the peers.
 */
package io.meshtransport.softverbs;
