// SPDX-License-Identifier: Apache-2.0
/**
 * The door of the implementation: {@link io.meshtransport.transport.MeshTransportProvider}, which
 * frameworks load, {@code MeshTransport}, which does what programs call for, and {@code
 * TransportParts}, which opens what one transport consists of, in order, and closes it in the order
 * listeners, connects, handshakes, channels, memory, NICs.
 *
 * <p>Nothing below calls back into this package: channels get a {@link
 * io.meshtransport.transport.channel.ChannelContext}, set-ups a {@link
 * io.meshtransport.transport.connect.ConnectContext}. From top to bottom, each using only what is
 * below it:
 *
 * <pre>
 *   transport    the provider and the transport
 *   overlay      nodes that no cable joins: one more NIC
 *   ncclmesh     channels to and from the C plugin, on its wire
 *   connect      set-up of channels on our wire; listeners
 *   message      channels on our wire: messages, puts and gets
 *   rail         the endpoints of one channel over several cables
 *   channel      what every channel has, whatever its wire
 *   endpoint     a queue pair with its queues, and the layout of what goes over it
 *   memory       registered memory
 *   device       the NICs of this host, open
 *   stats        counters and latencies
 *   route        which local address reaches which of a peer's
 * </pre>
 *
 * <p>{@code device}, {@code stats} and {@code route} use nothing of this module.
 * docs/ARCHITECTURE.md walks a message, an address and a handshake through these packages. Tests of
 * whole transports and of pairs of channels are in this package; a test of one class is in the
 * package of its class.
 */
package io.meshtransport.transport;
