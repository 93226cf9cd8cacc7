// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;

/**
 * One flow of an {@link Overlay}: a stream of bytes in both directions between two nodes. Bytes
 * arrive in order, each once, whatever happens to the paths beneath, or the flow ends. Any thread
 * may call it; no method blocks.
 */
public interface OverlayFlow {
  /** Why a flow has ended. */
  enum End {
    /**
     * One end closed it, and the other has all of its bytes: the peer, and they were read here, or
     * this one.
     */
    CLOSED,

    /**
     * The peer aborted or refused it, or does not know it any more: its process has restarted, or
     * has given the flow up because this node was silent for too long.
     */
    RESET,

    /**
     * No path has led to the peer for too long, or the peer has acknowledged nothing for too long.
     */
    UNREACHABLE,

    /** The overlay of this node was closed. */
    OVERLAY_CLOSED
  }

  /** Hears what becomes of a flow. Called by a thread of the overlay, one call at a time. */
  interface Listener {
    /**
     * Bytes have arrived. What is not taken, by advancing the position, is offered again after
     * {@link OverlayFlow#resume}; the peer cannot send more than a bounded window meanwhile.
     *
     * @param bytes direct, read-only, and valid during the call alone
     */
    void onBytes(ByteBuffer bytes);

    /**
     * There is space again, after a {@link OverlayFlow#write} that did not take all, or a {@link
     * OverlayFlow#writableBytes} that was not enough.
     */
    void onWritable();

    /**
     * The flow has ended; nothing follows. Not called for one that this node has aborted.
     *
     * @param evidence a clause for people: what the end follows from
     */
    void onClosed(End end, String evidence);
  }

  /**
   * Takes as many bytes as there is room for, by copying them. They leave when a chunk is full, or
   * with {@link #flush}.
   *
   * @param source its position advances over what was taken
   * @return the number of bytes taken, 0 to its remaining ones; less than all means that {@link
   *     Listener#onWritable} follows; 0 also on a flow that has ended
   */
  int write(ByteBuffer source);

  /**
   * How many bytes {@link #write} takes now at least. If that is less than what is wanted, {@link
   * Listener#onWritable} follows once there is as much space.
   *
   * @param wantedBytes 1 to 256 KiB
   * @return 0 also on a flow that has ended
   */
  int writableBytes(int wantedBytes);

  /** Sends what was written. */
  void flush();

  /** Has bytes offered again that {@link Listener#onBytes} did not take. */
  void resume();

  /**
   * How long ago the peer's node showed life by this flow, in nanoseconds; makes it answer if it
   * has nothing to send.
   */
  long probe();

  /**
   * From now on this node sends its bytes over nodes between, also where a cable joins the two, as
   * long as a path over others leads there. What the peer sends goes as the peer chooses.
   */
  default void takeDetour() {}

  /**
   * Sends what was written and then ends the flow, for both. What arrives meanwhile is dropped;
   * {@link Listener#onClosed} says how it ended.
   */
  void close();

  /** Ends the flow at once: what was written may be lost, and the peer hears {@link End#RESET}. */
  void abort();
}
