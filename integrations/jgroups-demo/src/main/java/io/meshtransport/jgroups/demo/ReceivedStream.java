// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.MessageContent;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What has arrived of one sender's multicasts, or of its unicasts to us. JGroups promises each of
 * the two in order, each message once. The first message may have any number: a member that joins
 * later receives nothing of what was sent before. Thread-safe.
 */
final class ReceivedStream {
  private static final long UNKNOWN = -1;

  private final MessageContent content;
  private long next = UNKNOWN;
  private long count;
  private long bytes;
  private long skipped;
  private long again;
  private long wrong;
  private String firstFlaw = "";

  ReceivedStream(MessageContent content) {
    this.content = content;
  }

  /** One that goes on from where another member's stood. */
  ReceivedStream(MessageContent content, DataInput before) throws IOException {
    this(content);
    count = before.readLong();
    bytes = before.readLong();
    next = before.readLong();
    skipped = before.readLong();
    again = before.readLong();
    wrong = before.readLong();
    firstFlaw = before.readUTF();
  }

  /** What the constructor reads. */
  synchronized void write(DataOutput output) throws IOException {
    for (long number : new long[] {count, bytes, next, skipped, again, wrong}) {
      output.writeLong(number);
    }
    output.writeUTF(firstFlaw);
  }

  synchronized void receive(byte[] array, int offset, int length) {
    ByteBuffer message = ByteBuffer.wrap(array, offset, length);
    long number = GroupMessage.number(message, Math.max(next, 0));
    count++;
    bytes += length;
    check(message, number);
    if (next != UNKNOWN && number > next) {
      skipped += number - next;
      flaw("after " + (next - 1) + " came " + number);
    }
    if (number < next) {
      again++;
      flaw(number + " came after " + (next - 1));
    }
    next = Math.max(next, number + 1);
  }

  private void check(ByteBuffer message, long number) {
    long wrongByte = GroupMessage.firstWrongByte(content, number, message);
    if (wrongByte != MessageContent.NONE) {
      wrong++;
      flaw("byte " + wrongByte + " of " + number + ", which is " + message.remaining() + " long");
    }
  }

  private void flaw(String what) {
    if (firstFlaw.isEmpty()) {
      firstFlaw = what;
    }
  }

  synchronized MemberEvent.Stream soFar() {
    return new MemberEvent.Stream(
        count, bytes, Math.max(next, 0), skipped, again, wrong, firstFlaw);
  }
}
