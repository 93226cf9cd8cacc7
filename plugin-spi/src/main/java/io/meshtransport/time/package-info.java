// SPDX-License-Identifier: Apache-2.0
/**
 * Durations of the API as numbers and as texts, and waits. Below {@code io.meshtransport.spi}, and
 * no API itself.
 */
package io.meshtransport.time;
