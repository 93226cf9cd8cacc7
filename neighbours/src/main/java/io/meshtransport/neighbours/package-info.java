// SPDX-License-Identifier: Apache-2.0
/**
 * Which nodes there are, how they are cabled, and what is wrong with the cabling. {@link
 * io.meshtransport.neighbours.NeighbourNode} is the protocol of one node, without a socket, a clock
 * or a thread.
 */
package io.meshtransport.neighbours;
