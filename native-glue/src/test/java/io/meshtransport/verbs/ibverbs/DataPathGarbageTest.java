// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.VerbsException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Posting, polling and arming allocate nothing, down to the library's functions. */
class DataPathGarbageTest {
  private static final int WARM_UP_ROUNDS = 20_000;
  private static final int PASSES = 10;
  private static final int ROUNDS = 10_000;

  @Test
  void shouldMakeNoGarbage() throws VerbsException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    assumeTrue(threads.isThreadAllocatedMemorySupported(), "this JVM counts no allocations");
    FakeLibrary fake = FakeLibrary.get();
    try (FakePair pair = new FakePair(fake.open("fake0")).toReadyToSend()) {
      Completions batch = pair.sends.newCompletions(8);
      pass(pair, batch, WARM_UP_ROUNDS);
      long[] allocatedBytes = new long[PASSES];
      for (int i = 0; i < PASSES; i++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        pass(pair, batch, ROUNDS);
        allocatedBytes[i] = threads.getCurrentThreadAllocatedBytes() - before;
      }
      // The best pass counts, for the JVM has work of its own now and then. The smallest object,
      // one
      // a round, would be 16 bytes.
      assertTrue(
          Arrays.stream(allocatedBytes).min().orElseThrow() < ROUNDS,
          () -> Arrays.toString(allocatedBytes) + " bytes, each in " + ROUNDS + " rounds");
    }
  }

  private static void pass(FakePair pair, Completions batch, int rounds) {
    long expected = 0;
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      pair.send(i);
      pair.receive(i);
      pair.sends.requestNotify(true);
      int count = pair.sends.poll(batch);
      for (int j = 0; j < count; j++) {
        sum += batch.id(j) + batch.status(j).code() + batch.lengthBytes(j);
      }
      expected += i + 100;
    }
    assertEquals(expected, sum);
  }
}
