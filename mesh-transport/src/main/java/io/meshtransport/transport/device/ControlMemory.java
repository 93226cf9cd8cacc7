// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Registered memory for the control messages of all links over one NIC, handed out in small pieces:
 * a registration is a system call and at least a page on hardware, and a link that is idle needs
 * some hundred bytes. Memory is registered in chunks that stay until the NIC is closed. Any thread
 * may call it.
 */
public final class ControlMemory {
  /** A chunk serves some forty idle links. */
  public static final int CHUNK_BYTES = 64 * 1024;

  /**
   * The first serves a few: a process that may lock little, 64 KiB by the default of many systems,
   * has the rest for its messages.
   */
  public static final int FIRST_CHUNK_BYTES = 16 * 1024;

  /** Pieces begin on their own cache lines: neighbours belong to other threads. */
  private static final int ALIGNMENT_BYTES = 64;

  /**
   * A part of a chunk. Its holder may use the buffer from {@code at} on with absolute reads and
   * writes; threads may do so side by side.
   */
  public record Piece(MemoryRegion region, ByteBuffer buffer, int at, int lengthBytes) {
    public long address() {
      return region.address() + at;
    }
  }

  private final ProtectionDomain domain;
  private final List<MemoryRegion> chunks = new ArrayList<>();
  private final Map<Integer, ArrayDeque<Piece>> idle = new HashMap<>();
  private ByteBuffer newest = ByteBuffer.allocate(0);
  private int used;

  public ControlMemory(ProtectionDomain domain) {
    this.domain = domain;
  }

  /**
   * Takes a piece, the caller's until {@link #giveBack}.
   *
   * @param lengthBytes 1 to {@link #CHUNK_BYTES}
   * @throws VerbsException if the system has no memory to register; a retry helps once it has
   */
  public synchronized Piece take(int lengthBytes) throws VerbsException {
    int wholeBytes = (lengthBytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    ArrayDeque<Piece> fitting = idle.get(wholeBytes);
    if (fitting != null && !fitting.isEmpty()) {
      return fitting.pop();
    }
    if (newest.capacity() - used < wholeBytes) {
      int chunkBytes = chunks.isEmpty() ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
      ByteBuffer chunk = ByteBuffer.allocateDirect(Math.max(wholeBytes, chunkBytes));
      chunks.add(domain.register(chunk, Access.LOCAL_WRITE));
      newest = chunk;
      used = 0;
    }
    Piece piece = new Piece(chunks.get(chunks.size() - 1), newest, used, wholeBytes);
    used += wholeBytes;
    return piece;
  }

  /** The device does not touch it any more. */
  public synchronized void giveBack(Piece piece) {
    idle.computeIfAbsent(piece.lengthBytes(), bytes -> new ArrayDeque<>()).push(piece);
  }

  /** Closes all chunks; no link is left. */
  public synchronized void close() throws VerbsException {
    for (MemoryRegion chunk : chunks) {
      chunk.close();
    }
    chunks.clear();
    newest = ByteBuffer.allocate(0);
    used = 0;
    idle.clear();
  }
}
