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
 *                    Network ------------------>  Wire        carries frames of one queue pair
 *               TcpNetwork | SimulatedNode       TcpWire | SimulatedWire
 * </pre>
 *
 * <p>One lock per device guards everything but the wires' waiting for the kernel. Threads: whoever
 * polls moves bytes; when nobody does, one thread per device serves the peers.
 */
package io.meshtransport.softverbs;
