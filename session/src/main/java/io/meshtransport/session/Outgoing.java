// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.nio.ByteBuffer;

/** A message in the queue to a peer. Guarded by the lock of its {@link Outbox}. */
final class Outgoing {
  final byte kind;
  final long id;
  final int lengthBytes;

  /** The message with its header; null if it is in {@link #bytes}. Has a reference. */
  final SendSlot slot;

  /** A copy of the message; null if it is in a slot. */
  final ByteBuffer bytes;

  /** Of a request; else null. */
  final Call call;

  /** What a reply goes over; null for what any connection may carry. */
  final Link link;

  private int sentBytes;
  private boolean isSent;

  private Outgoing(
      byte kind, long id, int lengthBytes, SendSlot slot, ByteBuffer bytes, Call call, Link link) {
    this.kind = kind;
    this.id = id;
    this.lengthBytes = lengthBytes;
    this.slot = slot;
    this.bytes = bytes;
    this.call = call;
    this.link = link;
  }

  /**
   * @param slot has the message with its header; one reference becomes this object's
   */
  static Outgoing inSlot(SendSlot slot, int lengthBytes, byte kind, long id, Call call) {
    return new Outgoing(kind, id, lengthBytes, slot, null, call, null);
  }

  /**
   * @param message copied, from its position to its limit
   */
  static Outgoing copyOf(ByteBuffer message, byte kind, long id, Call call, Link link) {
    ByteBuffer copy = ByteBuffer.allocate(message.remaining());
    copy.put(message.duplicate()).flip();
    return new Outgoing(kind, id, copy.limit(), null, copy, call, link);
  }

  /** The same message, copied out of its slot. */
  Outgoing copied() {
    return copyOf(slot.message(lengthBytes), kind, id, call, link);
  }

  boolean isSent() {
    return isSent;
  }

  void sent() {
    isSent = true;
  }

  /** Writes the next frame, header and bytes, into a slot; returns its length. */
  int writeFrame(ByteBuffer frame) {
    int capacity = frame.capacity() - Frame.HEADER_BYTES;
    int count = Math.min(capacity, lengthBytes - sentBytes);
    byte flags = count < lengthBytes - sentBytes ? Frame.MORE : 0;
    Frame.put(frame, kind, flags, lengthBytes, id);
    frame.put(Frame.HEADER_BYTES, bytes, sentBytes, count);
    return Frame.HEADER_BYTES + count;
  }

  /** A frame of so many bytes has left. */
  void frameSent(int frameBytes) {
    sentBytes += frameBytes - Frame.HEADER_BYTES;
    isSent = sentBytes == lengthBytes;
  }

  /** Whether some frames of it have left. */
  boolean hasBegun() {
    return sentBytes > 0;
  }

  /** The connection that had some frames of it is gone: another one gets all of them. */
  void restart() {
    sentBytes = 0;
  }
}
