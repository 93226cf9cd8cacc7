// SPDX-License-Identifier: Apache-2.0
/**
 * The datagrams that neighbours exchange: one class per message, with its bounds. Values only: no
 * socket, no clock. A datagram is decoded whole or refused with {@link
 * io.meshtransport.neighbours.wire.MalformedDatagram}. docs/WIRE-NEIGHBOURS.md draws the bytes.
 */
package io.meshtransport.neighbours.wire;
