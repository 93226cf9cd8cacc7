// SPDX-License-Identifier: Apache-2.0

/**
 * Memory of {@code java.lang.foreign} in messages: an arena that stays open while its memory is
 * registered, and segments that are sent, received into, put, got and reduced without a copy. Needs
 * Java 22 and the SPI; {@link io.meshtransport.ffm.SegmentGroup} also mesh-collectives.
 */
package io.meshtransport.ffm;
