// SPDX-License-Identifier: Apache-2.0
/**
 * JGroups over Mesh Transport. A stack names {@code io.meshtransport.jgroups.MESH} where it would
 * name TCP; everything here codes against the SPI alone.
 */
package io.meshtransport.jgroups;
