// SPDX-License-Identifier: Apache-2.0
/**
 * JGroups and Infinispan on a mesh: programs that run at its nodes as members of a group, the demo,
 * and the comparison of MESH with stock TCP.
 */
package io.meshtransport.jgroups.demo;
