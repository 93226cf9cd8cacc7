// SPDX-License-Identifier: Apache-2.0
/**
 * All-reduce of groups of nodes beside Open MPI on the same cables, and beside the bound of the
 * cables ({@link io.meshtransport.bench.collectives.CollectivesBench}); and the nodes of groups,
 * which demos use too.
 */
package io.meshtransport.bench.collectives;
