// SPDX-License-Identifier: Apache-2.0
/**
 * Connects two nodes before any data flows: the handle, which has a node's addresses, and the
 * handshake over TCP, in which both ends exchange the addresses of their queue pairs. The package
 * knows nothing of verbs or channels: callers make and bring up queue pairs in callbacks. The order
 * of the frames is drawn in {@link io.meshtransport.handshake.Handshaker}, every byte of them in
 * docs/WIRE.md.
 */
package io.meshtransport.handshake;
