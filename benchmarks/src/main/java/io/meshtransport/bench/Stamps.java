// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.MessageContent;
import java.nio.ByteBuffer;

/**
 * What measured messages hold: their number in the first eight bytes, which the receiver compares
 * always, and behind it a body that follows from the place they are sent from. Bodies are written
 * once, and compared in one lap of many through the receiver's places; before that lap the receiver
 * wipes them, so that it cannot find what an earlier message left. Thus checking costs less than
 * one part in a hundred of what is measured.
 */
final class Stamps {
  /** Of a message's number. */
  static final int BYTES = Long.BYTES;

  /** The number of the last message, which ends a stream. */
  static final long END = -1;

  private static final int LAPS_PER_CHECK = 256;
  private static final MessageContent CONTENT = new MessageContent(20_260, "leader", "other");

  private final ByteBuffer bytes;
  private final int places;
  private final int messageBytes;
  private final int sentPlaces;
  private long checked;

  /**
   * @param bytes capacity for all slots
   * @param places of this end
   * @param sentPlaces of the end that writes the bodies
   */
  Stamps(ByteBuffer bytes, int places, int messageBytes, int sentPlaces) {
    this.bytes = bytes;
    this.places = places;
    this.messageBytes = messageBytes;
    this.sentPlaces = sentPlaces;
  }

  /** Writes the bodies of all places. */
  Stamps fill() {
    for (int place = 0; place < places; place++) {
      CONTENT.fill(bytes, offset(place) + BYTES, messageBytes - BYTES, place);
    }
    return this;
  }

  int offset(long sequence) {
    return (int) (sequence % places) * messageBytes;
  }

  /** Makes what is in the place of a message that message. */
  void stamp(long sequence) {
    bytes.putLong(offset(sequence), sequence);
  }

  /** Makes it the one after which none comes. */
  void stampEnd(long sequence) {
    bytes.putLong(offset(sequence), END);
  }

  /**
   * Checks what has arrived in the slot of a message.
   *
   * @return whether it is the one after which none comes
   * @throws IllegalStateException if it is neither that nor the message
   */
  boolean isEnd(long sequence, long lengthBytes) {
    long found = bytes.getLong(offset(sequence));
    if (found == END) {
      return true;
    }
    if (found != sequence || lengthBytes != messageBytes) {
      throw new IllegalStateException(
          "message %d of %d bytes: number %d of %d bytes has arrived"
              .formatted(sequence, messageBytes, found, lengthBytes));
    }
    if (isCompared(sequence)) {
      compare(sequence);
    }
    return false;
  }

  /** Readies the place that a message is to arrive in: before its receive is posted. */
  void prepare(long sequence) {
    if (isCompared(sequence)) {
      ByteBuffer body = bytes.slice(offset(sequence) + BYTES, messageBytes - BYTES);
      while (body.remaining() >= Long.BYTES) {
        body.putLong(0);
      }
    }
  }

  private boolean isCompared(long sequence) {
    return sequence / places % LAPS_PER_CHECK == 0;
  }

  private void compare(long sequence) {
    int length = messageBytes - BYTES;
    long wrong =
        CONTENT.firstWrongByte(bytes, offset(sequence) + BYTES, length, sequence % sentPlaces);
    if (wrong != MessageContent.NONE) {
      throw new IllegalStateException(
          "message %d of %d bytes: byte %d is wrong"
              .formatted(sequence, messageBytes, wrong + BYTES));
    }
    checked++;
  }

  /** How many were compared, every byte. */
  long checked() {
    return checked;
  }
}
