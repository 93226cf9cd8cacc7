// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.util.Random;

/** Sends a plan, at random many messages at a time. Confined to its node's thread. */
final class TrafficSender {
  private static final int SLOTS = Transport.MAX_REQUESTS;

  private final ChannelEnds ends;
  private final TrafficPlan plan;
  private final Random random;
  private final long[] requests = new long[SLOTS];
  private final TrafficPlan.Message[] messages = new TrafficPlan.Message[SLOTS];
  private int begun;
  private int outstanding;

  TrafficSender(ChannelEnds ends, TrafficPlan plan, Random random) {
    this.ends = ends;
    this.plan = plan;
    this.random = random;
  }

  boolean isDone() {
    return begun == plan.sends().size() && outstanding == 0;
  }

  /** Begins some messages, then looks at some of those outstanding. */
  void step() {
    for (int i = random.nextInt(SLOTS); i > 0; i--) {
      begin(random.nextInt(SLOTS));
    }
    if (outstanding == SLOTS) {
      assertEquals(Channel.BUSY, ends.out().isend(ends.source(), 0, 1, 0));
    }
    for (int i = random.nextInt(SLOTS); i > 0; i--) {
      look(random.nextInt(SLOTS));
    }
  }

  private void begin(int slot) {
    if (messages[slot] != null || begun == plan.sends().size()) {
      return;
    }
    TrafficPlan.Message message = plan.sends().get(begun);
    int offset = slot * TrafficPlan.MAX_LENGTH_BYTES;
    Bytes.fill(ends.sourceBytes(), offset, message.lengthBytes(), message.seed());
    requests[slot] = ends.out().isend(ends.source(), offset, message.lengthBytes(), message.tag());
    assertTrue(requests[slot] >= 0, () -> "send " + begun + ": " + requests[slot]);
    messages[slot] = message;
    begun++;
    outstanding++;
  }

  private void look(int slot) {
    TrafficPlan.Message message = messages[slot];
    if (message == null) {
      return;
    }
    long result = ends.out().test(requests[slot]);
    if (result == Channel.PENDING) {
      return;
    }
    assertEquals(message.tooLong() ? Channel.FAILED : message.lengthBytes(), result);
    if (message.tooLong()) {
      assertEquals(Reason.MESSAGE_TOO_LONG, ends.out().failure(requests[slot]).reason());
    }
    messages[slot] = null;
    outstanding--;
  }

  @Override
  public String toString() {
    return begun + " of " + plan.sends().size() + " sends begun, " + outstanding + " outstanding";
  }
}
