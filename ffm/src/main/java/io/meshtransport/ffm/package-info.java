// SPDX-License-Identifier: Apache-2.0

/**
 * Memory of {@code java.lang.foreign} in messages: an arena that stays open while its memory is
 * registered, and segments that are sent, received into, put and got without a copy. Needs Java 22
 * and the SPI alone.
 */
package io.meshtransport.ffm;
