// SPDX-License-Identifier: Apache-2.0

/**
 * Series of a transport for Micrometer: {@link io.meshtransport.micrometer.MeshMetrics}. Needs the
 * SPI and micrometer-core alone.
 */
package io.meshtransport.micrometer;
