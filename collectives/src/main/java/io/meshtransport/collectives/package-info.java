// SPDX-License-Identifier: Apache-2.0
/**
 * Collective operations of a group of nodes: barrier, broadcast, reduce, all-reduce, all-gather,
 * reduce-scatter, all-to-all. A group plans them for the cables that it has, so that a triangle, a
 * line, a ring or a full mesh each moves bytes at the best rate that its cables allow.
 */
package io.meshtransport.collectives;
