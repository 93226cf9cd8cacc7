// SPDX-License-Identifier: Apache-2.0
/**
 * Hellos and the neighbours that they find on each interface. Confined to the thread of the node;
 * time and randomness are passed in.
 */
package io.meshtransport.neighbours.adjacency;
