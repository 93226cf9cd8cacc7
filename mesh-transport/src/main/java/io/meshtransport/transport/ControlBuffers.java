package io.meshtransport.transport;

import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;

/**
 * The control messages of one link in one direction: numbered buffers of one length, of which only
 * those exist that have been needed so far, in blocks. Confined to the channel's lock; allocates
 * nothing once what is needed is there.
 */
final class ControlBuffers {
  /** Buffers that come into being together. */
  static final int BLOCK = 4;

  private final ControlPool pool;
  private final int lengthBytes;
  private final ControlPool.Piece[] blocks;

  /**
   * @param count buffers there may be
   * @param lengthBytes of each
   */
  ControlBuffers(ControlPool pool, int count, int lengthBytes) {
    this.pool = pool;
    this.lengthBytes = lengthBytes;
    this.blocks = new ControlPool.Piece[(count + BLOCK - 1) / BLOCK];
  }

  /** Sees to it that a buffer is there. */
  void need(int index) throws VerbsException {
    if (blocks[index / BLOCK] == null) {
      blocks[index / BLOCK] = pool.take(BLOCK * lengthBytes);
    }
  }

  /** The memory a buffer lies in, from {@link #at} on. */
  ByteBuffer memory(int index) {
    return blocks[index / BLOCK].buffer();
  }

  int at(int index) {
    return blocks[index / BLOCK].at() + index % BLOCK * lengthBytes;
  }

  long address(int index) {
    return blocks[index / BLOCK].address() + index % BLOCK * lengthBytes;
  }

  int localKey(int index) {
    return blocks[index / BLOCK].region().localKey();
  }

  /** The queue pair is gone. */
  void giveBack() {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i] != null) {
        pool.giveBack(blocks[i]);
        blocks[i] = null;
      }
    }
  }
}
