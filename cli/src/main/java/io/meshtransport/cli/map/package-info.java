// SPDX-License-Identifier: Apache-2.0
/**
 * The map of a mesh: one value, made from what an agent knows, and pictures of it. The pictures are
 * pure functions of the value, so equal meshes have equal pictures.
 */
package io.meshtransport.cli.map;
