// SPDX-License-Identifier: Apache-2.0
/**
 * Jlama's tensor-parallel inference on a mesh: each node has a share of every layer, and sums of
 * partial results go over an all-reduce. {@link io.meshtransport.jlama.LlamaShard} is a node's
 * share, {@link io.meshtransport.jlama.ShardExchange} the way between shares, {@link
 * io.meshtransport.jlama.JlamaDemo} the comparison on a triangle of cables.
 */
package io.meshtransport.jlama;
