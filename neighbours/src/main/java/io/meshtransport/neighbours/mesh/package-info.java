// SPDX-License-Identifier: Apache-2.0
/** The {@link io.meshtransport.spi.Mesh} of the SPI, over a neighbours' agent. */
package io.meshtransport.neighbours.mesh;
