// SPDX-License-Identifier: Apache-2.0
/**
 * How two nodes agree on a connection before any data flows: the handle that says where a node is,
 * and the handshake over TCP in which both ends exchange queue-pair endpoints. It knows nothing of
 * verbs or channels: who owns the queue pairs brings them up in callbacks. docs/WIRE.md draws every
 * byte.
 */
package io.meshtransport.handshake;
