// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.MessageContent;
import java.nio.ByteBuffer;

/**
 * The content of measured messages: a sequence number in the first eight bytes, and a body that
 * depends on the slot that a message is sent from. The receiver compares each sequence number. It
 * compares bodies in one of 256 laps through its slots, and clears the slots before that lap, so
 * that bytes of an earlier message cannot pass. Verification therefore costs less than 1 % of what
 * is measured.
 */
final class SequencedPayload {
  /** Length of the sequence number. */
  static final int BYTES = Long.BYTES;

  /** The sequence number of a message that ends a run. */
  static final long END = -1;

  private static final int LAPS_PER_VERIFICATION = 256;
  private static final MessageContent CONTENT = new MessageContent(20_260, "initiator", "other");

  private final ByteBuffer bytes;
  private final int slots;
  private final int messageBytes;
  private final int sentSlots;
  private long verified;

  /**
   * @param bytes capacity for all slots
   * @param slots of this end
   * @param sentSlots of the end that writes the bodies
   */
  SequencedPayload(ByteBuffer bytes, int slots, int messageBytes, int sentSlots) {
    this.bytes = bytes;
    this.slots = slots;
    this.messageBytes = messageBytes;
    this.sentSlots = sentSlots;
  }

  /** Writes the bodies of all slots. */
  SequencedPayload writeBodies() {
    for (int slot = 0; slot < slots; slot++) {
      CONTENT.fill(bytes, offset(slot) + BYTES, messageBytes - BYTES, slot);
    }
    return this;
  }

  int offset(long sequence) {
    return (int) (sequence % slots) * messageBytes;
  }

  /** Writes the sequence number of a message into its slot. */
  void writeSequence(long sequence) {
    bytes.putLong(offset(sequence), sequence);
  }

  /** Writes the number that ends a run into the slot of a message. */
  void writeEnd(long sequence) {
    bytes.putLong(offset(sequence), END);
  }

  /**
   * Checks what has arrived in the slot of a message.
   *
   * @return whether it is the message that ends a run
   * @throws IllegalStateException if it is neither that nor the expected message
   */
  boolean verifyAndCheckEnd(long sequence, long lengthBytes) {
    long found = bytes.getLong(offset(sequence));
    if (found == END) {
      return true;
    }
    if (found != sequence || lengthBytes != messageBytes) {
      throw new IllegalStateException(
          "message %d of %d bytes: number %d of %d bytes has arrived"
              .formatted(sequence, messageBytes, found, lengthBytes));
    }
    if (isVerified(sequence)) {
      verifyBody(sequence);
    }
    return false;
  }

  /** Clears the slot of a message whose body will be compared: before its receive is posted. */
  void clearIfVerified(long sequence) {
    if (isVerified(sequence)) {
      ByteBuffer body = bytes.slice(offset(sequence) + BYTES, messageBytes - BYTES);
      while (body.remaining() >= Long.BYTES) {
        body.putLong(0);
      }
    }
  }

  /** Whether what has arrived in the slot of a message ends a run. */
  boolean isEnd(long sequence) {
    return bytes.getLong(offset(sequence)) == END;
  }

  /** Whether every byte of a message is compared. */
  boolean isVerified(long sequence) {
    return sequence / slots % LAPS_PER_VERIFICATION == 0;
  }

  private void verifyBody(long sequence) {
    int length = messageBytes - BYTES;
    long wrong =
        CONTENT.firstWrongByte(bytes, offset(sequence) + BYTES, length, sequence % sentSlots);
    if (wrong != MessageContent.NONE) {
      throw new IllegalStateException(
          "message %d of %d bytes: byte %d is wrong"
              .formatted(sequence, messageBytes, wrong + BYTES));
    }
    verified++;
  }

  /** Messages whose every byte was compared. */
  long verified() {
    return verified;
  }
}
