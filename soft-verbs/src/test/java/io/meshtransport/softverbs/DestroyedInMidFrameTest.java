package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Memory belongs to its owner from the moment a queue pair is destroyed, whatever is half done. */
class DestroyedInMidFrameTest {
  private static final int BYTES = 32 << 20;
  private static final int ROUNDS = 10;

  @Test
  void shouldWriteNothingAfterTheQueuePairIsGone() throws Exception {
    SoftProvider provider = new SoftProvider();
    for (int round = 0; round < ROUNDS; round++) {
      try (ContractPair pair =
          new ContractPair(
              provider.open("lo-127.77.10.1"), provider.open("lo-127.77.10.2"), Traits.ofSoft())) {
        pair.connect(Setup.usual().withMemory(BYTES, Setup.ALL_ACCESS));
        fill(pair, (byte) 1);
        pair.a.postWrite(round, 0, BYTES, pair.b, 0);
        Awaitility.await()
            .pollInSameThread()
            .pollDelay(0, TimeUnit.MILLISECONDS)
            .pollInterval(50, TimeUnit.MICROSECONDS)
            .until(() -> pair.b.memory.get(0) == 1);

        pair.b.queuePair.close();
        for (int i = 0; i < BYTES; i++) {
          pair.b.memory.put(i, (byte) 7);
        }
        pair.expectSent(pair.a, round, CompletionStatus.RETRY_EXC_ERR);

        for (int i = 0; i < BYTES; i++) {
          assertEquals(7, pair.b.memory.get(i), "byte " + i + " of round " + round);
        }
      }
    }
  }

  private static void fill(ContractPair pair, byte value) {
    for (int i = 0; i < BYTES; i++) {
      pair.a.memory.put(i, value);
    }
  }
}
