// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;

/**
 * Memory for one chunk at a time: of one of this node's own, or of one that a neighbour has sent.
 * In one queue at most. Confined to the relay's thread.
 */
final class Chunk {
  /** Whose it is, and where it goes back to when what is in it has gone. */
  final Hop home;

  /** The class of the receives that it is for; 0 for one of this node's own. */
  final int hopClass;

  /** Where it is in the memory of its home, for whoever sends it. */
  final int index;

  final ByteBuffer bytes;

  /** The same, for listeners; made once, since one for each chunk would be garbage. */
  final ByteBuffer view;

  /** Of header and payload. */
  int lengthBytes;

  /** The flow that an own one is of; null for those of others. */
  Flow flow;

  /** The next in the queue that it is in. */
  Chunk next;

  Chunk(Hop home, int hopClass, int index, ByteBuffer bytes) {
    this.home = home;
    this.hopClass = hopClass;
    this.index = index;
    this.bytes = bytes;
    this.view = bytes.asReadOnlyBuffer();
  }
}
