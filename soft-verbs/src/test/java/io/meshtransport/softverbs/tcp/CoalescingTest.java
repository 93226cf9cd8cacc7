// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.WorkCompletions;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Short messages wait for each other, but not for a poll that may not come. */
class CoalescingTest {
  private static final int MESSAGES = 20;

  private final SoftProvider provider = new SoftProvider();
  private ContractPair pair;

  @BeforeEach
  void openDevices() throws Exception {
    pair =
        new ContractPair(
            provider.open("lo-127.77.9.1"), provider.open("lo-127.77.9.2"), Traits.ofSoft());
    pair.connect();
  }

  @AfterEach
  void closeDevices() throws Exception {
    pair.close();
  }

  /** A caller that polls is expected to come back, which lets its sends wait. */
  private void pollInVain() {
    WorkCompletions batch = pair.a.sends.newCompletions(1);
    for (int i = 0; i < 100; i++) {
      assertEquals(0, pair.a.sends.poll(batch));
    }
  }

  private int arrived() {
    int last = 0;
    for (int i = 0; i < MESSAGES; i++) {
      last += pair.b.memory.get(i) == i + 1 ? 1 : 0;
    }
    return last;
  }

  @Test
  void shouldSendDeferredFramesThoughTheCallerPollsNoMore() throws Exception {
    for (int i = 0; i < MESSAGES; i++) {
      pair.a.memory.put(i, (byte) (i + 1));
    }
    pollInVain();
    for (int i = 0; i < MESSAGES; i++) {
      pair.a.postWrite(i, i, 1, pair.b, i);
    }
    // No caller polls on either side from here on: the devices' own threads must do it.
    Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> arrived() == MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
      pair.expectSent(pair.a, i, SUCCESS);
    }
  }

  @Test
  void shouldSendDeferredFramesWithTheNextPoll() throws Exception {
    for (int round = 0; round < 500; round++) {
      pollInVain();
      for (int i = 0; i < MESSAGES; i++) {
        pair.b.postReceive(i, i, 1);
      }
      for (int i = 0; i < MESSAGES; i++) {
        pair.a.memory.put(i, (byte) (round + i));
        pair.a.postSend(i, i, 1);
      }
      for (int i = 0; i < MESSAGES; i++) {
        pair.expectSent(pair.a, i, SUCCESS);
        pair.expectReceived(pair.b, i, SUCCESS);
        assertEquals((byte) (round + i), pair.b.memory.get(i));
      }
    }
  }
}
