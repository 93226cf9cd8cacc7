// SPDX-License-Identifier: Apache-2.0
/**
 * Pictures of the map of a mesh, and how they and the map get to other processes and to browsers.
 * The pictures are pure functions of the map, so equal meshes have equal pictures.
 */
package io.meshtransport.cli.map;
