// SPDX-License-Identifier: Apache-2.0
/**
 * Side by side: JGroups' own measuring programs, UPerf and MPerf, over MESH and over stock TCP, in
 * one run, on the same cables.
 *
 * <p>{@link io.meshtransport.jgroups.bench.JGroupsBench} starts a {@link
 * io.meshtransport.jgroups.bench.PerfMember} at each node of a fabric, round after round, and makes
 * {@link io.meshtransport.bench.Comparison}s of what they report.
 */
package io.meshtransport.jgroups.bench;
