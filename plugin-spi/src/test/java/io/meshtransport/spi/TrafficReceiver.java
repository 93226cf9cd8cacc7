// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Receives a plan, at random one by one and in groups. Confined to its node's thread. */
final class TrafficReceiver {
  private static final int SLOTS = Transport.MAX_REQUESTS;

  private final ChannelEnds ends;
  private final TrafficPlan plan;
  private final Random random;
  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];
  private final long[] requests = new long[SLOTS];
  private final List<List<TrafficPlan.Message>> messages = new ArrayList<>();
  private int begun;
  private int outstanding;

  TrafficReceiver(ChannelEnds ends, TrafficPlan plan, Random random) {
    this.ends = ends;
    this.plan = plan;
    this.random = random;
    for (int slot = 0; slot < SLOTS; slot++) {
      messages.add(List.of());
    }
  }

  boolean isDone() {
    return begun == plan.receives().size() && outstanding == 0;
  }

  /** Posts some receives, then looks at some of those outstanding. */
  void step() {
    for (int i = random.nextInt(SLOTS); i > 0; i--) {
      begin(random.nextInt(SLOTS));
    }
    if (outstanding == SLOTS) {
      assertEquals(Channel.BUSY, ends.in().irecv(ends.sink(), 0, 1, 0));
    }
    for (int i = random.nextInt(SLOTS); i > 0; i--) {
      look(random.nextInt(SLOTS));
    }
  }

  private void begin(int slot) {
    if (!messages.get(slot).isEmpty() || begun == plan.receives().size()) {
      return;
    }
    List<TrafficPlan.Message> next = next();
    group.clear();
    for (TrafficPlan.Message message : next) {
      group.add(ends.sink(), offset(slot, group.size()), message.roomBytes(), message.tag());
    }
    requests[slot] =
        next.size() > 1 || random.nextBoolean()
            ? ends.in().irecv(group, ReceiveChannel.NO_DEADLINE)
            : ends.in()
                .irecv(ends.sink(), offset(slot, 0), next.get(0).roomBytes(), next.get(0).tag());
    assertTrue(requests[slot] >= 0, () -> "receive " + begun + ": " + requests[slot]);
    messages.set(slot, next);
    begun += next.size();
    outstanding++;
  }

  /** One or several that go together; one that is too long stays alone, so that it fails alone. */
  private List<TrafficPlan.Message> next() {
    int end = begun + 1;
    int wanted = Math.min(plan.receives().size(), begun + 1 + random.nextInt(Transport.MAX_GROUP));
    while (end < wanted
        && !plan.receives().get(begun).tooLong()
        && !plan.receives().get(end).tooLong()) {
      end++;
    }
    return plan.receives().subList(begun, end);
  }

  private void look(int slot) {
    List<TrafficPlan.Message> expected = messages.get(slot);
    if (expected.isEmpty()) {
      return;
    }
    long result = ends.in().test(requests[slot], lengthsBytes);
    if (result == Channel.PENDING) {
      return;
    }
    if (expected.get(0).tooLong()) {
      assertEquals(Channel.FAILED, result);
      assertEquals(Reason.MESSAGE_TOO_LONG, ends.in().failure(requests[slot]).reason());
    } else {
      check(slot, expected, result);
    }
    messages.set(slot, List.of());
    outstanding--;
  }

  private void check(int slot, List<TrafficPlan.Message> expected, long result) {
    assertEquals(expected.stream().mapToLong(TrafficPlan.Message::lengthBytes).sum(), result);
    for (int i = 0; i < expected.size(); i++) {
      TrafficPlan.Message message = expected.get(i);
      assertEquals(message.lengthBytes(), lengthsBytes[i]);
      Bytes.check(ends.sinkBytes(), offset(slot, i), message.lengthBytes(), message.seed());
    }
  }

  private static int offset(int slot, int index) {
    return (slot * Transport.MAX_GROUP + index) * TrafficPlan.MAX_LENGTH_BYTES;
  }

  @Override
  public String toString() {
    return begun + " of " + plan.receives().size() + " receives, " + outstanding + " requests";
  }
}
