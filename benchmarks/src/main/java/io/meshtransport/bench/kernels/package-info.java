// SPDX-License-Identifier: Apache-2.0
/**
 * How fast the kernels of collective operations fold, beside plain loops over arrays on the heap:
 * {@code ./mesh bench kernels}.
 */
package io.meshtransport.bench.kernels;
