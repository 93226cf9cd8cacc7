// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * Registered memory for one message, which is sent from there without a copy, to one peer or to
 * several. {@link Session#claim} gives it; the thread that claimed it writes the message, sends it
 * and closes it. The bytes must not change between the first send and the close, and not be used
 * after it.
 *
 * <p>Until then the memory is this slot's alone, also if the session is closed meanwhile: the last
 * slot that is closed gives it back to the transport. A transport that is closed first deregisters
 * it: the thread may still write to it, and no peer gets what it writes.
 */
public final class SendSlot implements AutoCloseable {
  final int index;

  private final Session session;
  private final SlotPool pool;
  private final ByteBuffer frame;
  private final ByteBuffer body;

  /** Of the message that has been sent from here; -1 before the first send. */
  private int sentBytes;

  /** Whether the caller that got it has not closed it; peers may have references for longer. */
  private volatile boolean isClaimed;

  SendSlot(Session session, SlotPool pool, int index, ByteBuffer frame) {
    this.session = session;
    this.pool = pool;
    this.index = index;
    this.frame = frame;
    body = frame.slice(Frame.HEADER_BYTES, frame.capacity() - Frame.HEADER_BYTES);
  }

  /** Where the message goes, from 0 on: {@link Session#slotCapacity} bytes. */
  public ByteBuffer bytes() {
    return body;
  }

  /** Its number, 0 to the number of slots less one ({@link SessionOptions#slots}). */
  public int number() {
    return index;
  }

  /**
   * Sends the first bytes of the slot if the peer's queue has a place now. Never blocks; in all
   * else as {@link #sendTo}.
   *
   * @return whether it was sent or queued
   * @throws TransportException CLOSED, as {@link #sendTo}
   */
  public boolean trySendTo(PeerSession peer, int lengthBytes) throws TransportException {
    requireLength(lengthBytes);
    session.requireOwn(peer);
    frame(lengthBytes);
    return peer.outbox().trySend(this, lengthBytes);
  }

  private void frame(int lengthBytes) {
    if (sentBytes < 0) {
      sentBytes = lengthBytes;
      Frame.put(frame, Frame.MESSAGE, (byte) 0, lengthBytes, 0);
    }
  }

  /** As the next thread that claims it gets it. */
  void clear() {
    body.clear().order(ByteOrder.BIG_ENDIAN);
    sentBytes = -1;
    isClaimed = true;
  }

  private void requireClaimed() {
    if (!isClaimed) {
      throw new IllegalStateException("slot " + index + " was closed");
    }
  }

  private void requireLength(int lengthBytes) {
    requireClaimed();
    if (sentBytes >= 0 && sentBytes != lengthBytes) {
      throw new IllegalArgumentException(
          "%d bytes of a slot from which %d are being sent already: claim another slot"
              .formatted(lengthBytes, sentBytes));
    }
    if (lengthBytes < 0 || lengthBytes > body.capacity()) {
      throw new IllegalArgumentException(
          lengthBytes + " bytes of a slot that has " + body.capacity());
    }
  }

  /**
   * Sends the first bytes of the slot. The rules of {@link PeerSession#send} apply.
   *
   * @param lengthBytes 0 to {@link Session#slotCapacity}; the same for all peers
   * @throws IllegalStateException if the slot was closed
   */
  public void sendTo(PeerSession peer, int lengthBytes, Duration timeout)
      throws TransportException {
    requireLength(lengthBytes);
    session.requireOwn(peer);
    frame(lengthBytes);
    peer.sendSlot(this, lengthBytes, timeout);
  }

  /** Header and message. */
  ByteBuffer frame() {
    return frame;
  }

  /** Writes header and message; the message's position stays. */
  void write(ByteBuffer message, byte kind, long id) {
    int lengthBytes = message.remaining();
    Frame.put(frame, kind, (byte) 0, lengthBytes, id);
    frame.put(Frame.HEADER_BYTES, message, message.position(), lengthBytes);
  }

  /** The first bytes behind the header. */
  ByteBuffer message(int lengthBytes) {
    return body.duplicate().clear().limit(lengthBytes);
  }

  /** Whether a thread may write to it. */
  boolean isClaimed() {
    return isClaimed;
  }

  /** It is written, and the thread's reference becomes a link's; before the link can release it. */
  void handOver() {
    isClaimed = false;
    pool.unclaimed();
  }

  /**
   * Gives the slot back; it is free when the last peer has the message.
   *
   * @throws IllegalStateException if it was closed before
   */
  @Override
  public void close() {
    requireClaimed();
    isClaimed = false;
    pool.release(this);
    pool.unclaimed();
  }
}
