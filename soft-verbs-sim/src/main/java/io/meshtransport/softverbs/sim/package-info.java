// SPDX-License-Identifier: Apache-2.0
/**
 * Soft devices on cables that exist in memory only, in virtual time: {@link
 * io.meshtransport.softverbs.sim.SimulatedFabric} opens them, and cuts, stops and kills. For tests;
 * no part of the library depends on it.
 *
 * <p>Below are the packages {@code rc} and {@code frame} of the module soft-verbs.
 *
 * <p>Tests: {@code SimulatedFabricTest}, and the verbs' contract in {@code
 * SoftSimulatedContractTest}.
 */
package io.meshtransport.softverbs.sim;
