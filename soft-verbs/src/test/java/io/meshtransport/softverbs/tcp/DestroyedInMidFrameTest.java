// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Memory is its owner's again from the moment a queue pair is destroyed, also in the middle of a
 * frame.
 */
class DestroyedInMidFrameTest {
  private static final int BYTES = 64 << 20;
  private static final int ROUNDS = 6;

  @Test
  @Tag("slow")
  void shouldWriteNothingAfterTheQueuePairIsGone() throws Exception {
    SoftProvider provider = new SoftProvider();
    for (int round = 0; round < ROUNDS; round++) {
      try (ContractPair pair =
          new ContractPair(
              provider.open("lo-127.77.10.1"), provider.open("lo-127.77.10.2"), Traits.ofSoft())) {
        pair.connect(Setup.usual().withMemory(BYTES, Setup.ALL_ACCESS));
        fill(pair, (byte) 1);
        pair.a.postWrite(round, 0, BYTES, pair.b, 0);
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (pair.b.memory.get(0) != 1) {
          assertTrue(System.nanoTime() - endNs < 0, "nothing comes");
          Thread.onSpinWait();
        }

        pair.b.queuePair.close();
        int written = written(pair.b.memory);
        // Whether all of it had come, or the connection broke: the sender knows, so it is over.
        pair.sent(pair.a);

        assertEquals(written, written(pair.b.memory), "round " + round);
      }
    }
  }

  /** Where the first byte is that has not come; they come in order. */
  private static int written(ByteBuffer memory) {
    int low = 0;
    int high = BYTES;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (memory.get(middle) == 1) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static void fill(ContractPair pair, byte value) {
    for (int i = 0; i < BYTES; i++) {
      pair.a.memory.put(i, value);
    }
  }
}
