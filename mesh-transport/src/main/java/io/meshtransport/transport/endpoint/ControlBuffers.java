// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.transport.device.ControlMemory;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The control messages of one endpoint in one direction: numbered buffers of one length, of which
 * only those exist that have been needed so far, in blocks. Confined to the channel's lock;
 * allocates nothing once what is needed is there.
 */
public final class ControlBuffers {
  /** Buffers that come into being together. */
  static final int BLOCK = 4;

  private final ControlMemory pool;
  private final int lengthBytes;
  private ControlMemory.Piece[] blocks = new ControlMemory.Piece[1];

  /**
   * @param lengthBytes of each buffer
   */
  ControlBuffers(ControlMemory pool, int lengthBytes) {
    this.pool = pool;
    this.lengthBytes = lengthBytes;
  }

  /** Sees to it that a buffer is there. */
  void need(int index) throws VerbsException {
    int block = index / BLOCK;
    if (block >= blocks.length) {
      blocks = Arrays.copyOf(blocks, Integer.highestOneBit(block) * 2);
    }
    if (blocks[block] == null) {
      blocks[block] = pool.take(BLOCK * lengthBytes);
    }
  }

  /** Whether a buffer is there. */
  boolean isThere(int index) {
    return index / BLOCK < blocks.length && blocks[index / BLOCK] != null;
  }

  /** The memory a buffer lies in, from {@link #at} on. */
  public ByteBuffer memory(int index) {
    return blocks[index / BLOCK].buffer();
  }

  public int at(int index) {
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
