// SPDX-License-Identifier: Apache-2.0
/**
 * Events for the JDK's flight recorder: handshakes, states of channels, lost rails, slow requests.
 * {@link io.meshtransport.transport.jfr.FlightEvents} is what the other packages call. A Java
 * runtime without the module jdk.jfr records nothing, and nothing else changes.
 *
 * <p>Uses the SPI alone. {@code FlightEventsTest} tests it, by recordings that it reads back.
 */
package io.meshtransport.transport.jfr;
