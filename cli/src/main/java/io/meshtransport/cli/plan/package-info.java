// SPDX-License-Identifier: Apache-2.0
/**
 * Plans of collective operations for people: graphs from files and from the mesh, tables and
 * drawings.
 */
package io.meshtransport.cli.plan;
