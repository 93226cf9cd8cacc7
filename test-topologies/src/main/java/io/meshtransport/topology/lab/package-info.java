// SPDX-License-Identifier: Apache-2.0
/**
 * The RoCE lab: a {@link io.meshtransport.topology.Fabric} whose nodes are emulated machines with a
 * kernel, Soft-RoCE and the real libibverbs. {@link io.meshtransport.topology.lab.LabPackages} gets
 * what it needs, {@link io.meshtransport.topology.lab.LabFabric} boots it.
 */
package io.meshtransport.topology.lab;
