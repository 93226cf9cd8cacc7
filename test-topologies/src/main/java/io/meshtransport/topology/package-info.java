// SPDX-License-Identifier: Apache-2.0
/**
 * Meshes to test on. A {@link io.meshtransport.topology.Topology} lists nodes and cables; a {@link
 * io.meshtransport.topology.Fabric} lays those cables, in network namespaces, on loopback, or
 * between guests with real libibverbs (the package lab); a {@link
 * io.meshtransport.topology.RunningMesh} starts one JVM per node on it and gives them things to do.
 * Never a dependency of the product.
 *
 * <p>One more fabric would fit in: the simulated wire of soft-verbs-sim.
 */
package io.meshtransport.topology;
