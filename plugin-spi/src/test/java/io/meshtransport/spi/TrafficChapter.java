// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Contract: whatever is sent and received in whatever order, each message does what the model says.
 * Two threads, one for each node, each sending on one channel and receiving on another.
 */
abstract class TrafficChapter extends ContractChapter {
  private static final int MESSAGES = 3_000;

  @Test
  void shouldDoWhatTheModelSaysUnderRandomTraffic() throws Exception {
    Random random = Bytes.random("shouldDoWhatTheModelSaysUnderRandomTraffic");
    int memoryBytes = TrafficPlan.MAX_LENGTH_BYTES * Transport.MAX_REQUESTS * Transport.MAX_GROUP;
    ChannelEnds forth = channel(memoryBytes);
    ChannelEnds back = channel(right, left, memoryBytes);
    int messages = contract().repetitions(MESSAGES);
    TrafficPlan forthPlan = new TrafficPlan(random, messages);
    TrafficPlan backPlan = new TrafficPlan(random, messages);
    Random atLeft = new Random(random.nextLong());
    Random atRight = new Random(random.nextLong());

    Parallel other =
        Parallel.start(
            () ->
                run(
                    new TrafficSender(back, backPlan, atRight),
                    new TrafficReceiver(forth, forthPlan, atRight)));
    run(new TrafficSender(forth, forthPlan, atLeft), new TrafficReceiver(back, backPlan, atLeft));
    other.join();
    forth.assertAlive();
    back.assertAlive();
  }

  private static void run(TrafficSender sender, TrafficReceiver receiver) {
    long begin = System.nanoTime();
    while (!sender.isDone() || !receiver.isDone()) {
      sender.step();
      receiver.step();
      Thread.yield();
      if (System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new AssertionError("stuck: " + sender + ", " + receiver);
      }
    }
  }
}
