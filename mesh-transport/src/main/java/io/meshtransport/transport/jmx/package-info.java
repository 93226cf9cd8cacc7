// SPDX-License-Identifier: Apache-2.0
/**
 * One MXBean per open transport: its channels, NICs, traffic, handshakes and memory, for any JMX
 * client. {@link io.meshtransport.transport.jmx.MeshTransportMXBean} says what it shows.
 *
 * <p>Uses the SPI and the channels; only the package above it uses this one. {@code
 * MeshTransportMXBeanTest} tests it.
 */
package io.meshtransport.transport.jmx;
