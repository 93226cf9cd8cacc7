// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

/** How long the pieces are in which elements pass through the heap. */
final class Block {
  /**
   * So that the pieces of both operands stay in the first cache, with room for what they are of.
   */
  static final int ELEMENTS = 1024;

  private Block() {}
}
