// SPDX-License-Identifier: Apache-2.0
/**
 * Flows between nodes that no cable joins: an {@link io.meshtransport.spi.Overlay} over the SPI
 * alone. {@link io.meshtransport.relay.Relay} is what a program starts.
 *
 * <p>{@code RelayNode} is one node's part as a state machine: chunks, their sends' ends and the
 * graph go in, chunks come out, and time is a parameter. It has no thread and knows no transport,
 * so {@code RelaySimulationTest} runs whole graphs of it in virtual time. {@code RouteSelector}
 * says which routes its flows take, and {@code HopTable} has the ways to its neighbours. Around it,
 * {@code RelayThread} runs it over connections to the neighbours.
 */
package io.meshtransport.relay;
