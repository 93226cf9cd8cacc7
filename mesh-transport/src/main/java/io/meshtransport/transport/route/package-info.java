// SPDX-License-Identifier: Apache-2.0
/**
 * Which local address reaches which of a peer's: {@link io.meshtransport.transport.route.Router}
 * pairs them and judges every pair, {@link io.meshtransport.transport.route.RoutePreference} ranks
 * those that share a subnet. Pure functions of what both ends say about themselves: it opens
 * nothing.
 *
 * <p>Uses nothing of this module. {@code RouterTest} has the cases, {@code RouterLawsTest} the laws
 * that hold for all hosts.
 */
package io.meshtransport.transport.route;
