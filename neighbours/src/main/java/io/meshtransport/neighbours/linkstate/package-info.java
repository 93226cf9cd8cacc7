// SPDX-License-Identifier: Apache-2.0
/**
 * The link-state database: what each node says of itself, flooded to all, and the graph that
 * follows from it. Confined to the thread of the node; time is passed in.
 */
package io.meshtransport.neighbours.linkstate;
