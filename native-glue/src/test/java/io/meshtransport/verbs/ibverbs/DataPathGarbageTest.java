// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import org.junit.jupiter.api.Test;

/** Posting, polling and arming allocate nothing, down to the library's functions. */
class DataPathGarbageTest {
  private static final int WARM_UP_ROUNDS = 20_000;
  private static final int PASSES = 10;
  private static final int ROUNDS = 10_000;

  @Test
  void shouldMakeNoGarbage() throws VerbsException {
    AllocationCounter counter = AllocationCounter.ofThisThread();
    FakeLibrary fake = FakeLibrary.get();
    try (FakePair pair = new FakePair(fake.open("fake0")).toReadyToSend()) {
      WorkCompletions batch = pair.sends.newCompletions(8);
      pass(pair, batch, WARM_UP_ROUNDS);
      counter.expectFewerBytes(ROUNDS, PASSES, () -> pass(pair, batch, ROUNDS));
    }
  }

  private static void pass(FakePair pair, WorkCompletions batch, int rounds) {
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
