// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Registered memory for one message, which is sent from there without a copy, to one peer or to
 * several. {@link Session#claim} gives it; the thread that claimed it writes the message, sends it
 * and closes it. The bytes must not change between the first send and the close, and not be used
 * after it.
 */
public final class SendSlot implements AutoCloseable {
  final int index;

  /** Guarded by the pool's lock. */
  int references;

  private final Session session;
  private final SlotPool pool;
  private final ByteBuffer frame;
  private final ByteBuffer body;

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

  /**
   * Sends the first bytes of the slot. The rules of {@link PeerSession#send} apply.
   *
   * @param lengthBytes 0 to {@link Session#slotCapacity}
   */
  public void sendTo(PeerSession peer, int lengthBytes, Duration timeout)
      throws TransportException {
    if (lengthBytes < 0 || lengthBytes > body.capacity()) {
      throw new IllegalArgumentException(
          lengthBytes + " bytes of a slot that has " + body.capacity());
    }
    session.requireOwn(peer);
    Frame.put(frame, Frame.MESSAGE, (byte) 0, lengthBytes, 0);
    peer.sendSlot(this, lengthBytes, timeout);
  }

  ByteBuffer frame() {
    return frame;
  }

  /** Gives the slot back; it is free when the last peer has the message. */
  @Override
  public void close() {
    pool.release(this);
  }
}
