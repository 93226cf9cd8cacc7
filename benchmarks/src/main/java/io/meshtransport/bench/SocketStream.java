// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A stream over one blocking connection, one thread at each end, into and out of direct buffers.
 * The responder answers the last message, so that the initiator measures until all have arrived.
 */
final class SocketStream {
  private final SocketChannel channel;
  private final int messageBytes;
  private final int slots;
  private final ByteBuffer bytes;

  /**
   * @param slots messages that the memory of this end has
   */
  SocketStream(SocketChannel channel, int messageBytes, int slots) {
    this.channel = channel;
    this.messageBytes = messageBytes;
    this.slots = slots;
    this.bytes = ByteBuffer.allocateDirect(slots * messageBytes);
  }

  private SequencedPayload payload() {
    return new SequencedPayload(bytes, slots, messageBytes, slots);
  }

  Measurement initiate(RunClock clock) throws IOException {
    SequencedPayload payload = payload().writeBodies();
    long count = 0;
    while (clock.isRunning(System.nanoTime(), count)) {
      payload.writeSequence(count);
      write(payload.offset(count), messageBytes);
      count++;
    }
    payload.writeEnd(count);
    write(payload.offset(count), messageBytes);
    read(0, SequencedPayload.BYTES);
    return clock.measurement(System.nanoTime(), count, 0);
  }

  Measurement respond() throws IOException {
    SequencedPayload payload = payload();
    long count = 0;
    payload.clearIfVerified(count);
    read(payload.offset(count), messageBytes);
    while (!payload.verifyAndCheckEnd(count, messageBytes)) {
      count++;
      payload.clearIfVerified(count);
      read(payload.offset(count), messageBytes);
    }
    write(payload.offset(count), SequencedPayload.BYTES);
    return Measurement.ofResponder(count, payload.verified());
  }

  private void write(int offset, int length) throws IOException {
    bytes.limit(offset + length).position(offset);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    bytes.clear();
  }

  private void read(int offset, int length) throws IOException {
    bytes.limit(offset + length).position(offset);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new IOException("the other end has closed in the middle of a run");
      }
    }
    bytes.clear();
  }
}
