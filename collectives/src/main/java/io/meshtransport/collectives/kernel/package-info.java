// SPDX-License-Identifier: Apache-2.0
/**
 * Arithmetic on elements in direct memory: folds, conversions, scaling. Knows no ranks and no
 * network.
 */
package io.meshtransport.collectives.kernel;
