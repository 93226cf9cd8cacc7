// SPDX-License-Identifier: Apache-2.0
/**
 * The map of a mesh: one value, made from what an agent knows. Pictures of it are not the library's
 * business.
 */
package io.meshtransport.neighbours.map;
