// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Much of everything at once. */
interface TrafficContract {
  ContractPair pair();

  @Test
  default void shouldCarryMessagesInBothDirectionsAtOnce() throws Exception {
    pair().connect(Setup.usual().withMemory(4 << 20, Setup.ALL_ACCESS));
    int bytes = 200_000;
    pair().a.fill(0, bytes, 1);
    pair().b.fill(0, bytes, 2);
    for (int round = 0; round < 20; round++) {
      for (int i = 1; i <= 8; i++) {
        pair().a.postReceive(i, i * bytes, bytes);
        pair().b.postReceive(i, i * bytes, bytes);
      }
      for (int i = 1; i <= 8; i++) {
        pair().a.postSend(i, 0, bytes);
        pair().b.postSend(i, 0, bytes);
      }
      for (int i = 1; i <= 8; i++) {
        pair().expectReceived(pair().a, i, SUCCESS);
        pair().expectReceived(pair().b, i, SUCCESS);
        pair().expectSent(pair().a, i, SUCCESS);
        pair().expectSent(pair().b, i, SUCCESS);
        pair().a.expect(i * bytes, bytes, 2);
        pair().b.expect(i * bytes, bytes, 1);
      }
    }
  }

  /** Repeat a failure with -Dcontract.seed=NUMBER. */
  @Test
  @Tag("slow")
  default void shouldAgreeWithAModelUnderRandomOperations() throws Exception {
    long seed = Long.getLong("contract.seed", new Random().nextLong());
    System.out.println("random operations with -Dcontract.seed=" + seed);
    pair().connect();
    TrafficModel towardsB = new TrafficModel(pair().a, pair().b, new Random(seed));
    TrafficModel towardsA = new TrafficModel(pair().b, pair().a, new Random(seed + 1));
    for (int round = 0; round < 400; round++) {
      int sentByA = towardsB.postSome();
      int sentByB = towardsA.postSome();
      for (Done done : pair().await(pair().a, pair().a.sends, sentByA)) {
        towardsB.check(done);
      }
      for (Done done : pair().await(pair().b, pair().b.sends, sentByB)) {
        towardsA.check(done);
      }
      for (Done done : pair().await(pair().b, pair().b.receives, towardsB.notices())) {
        towardsB.checkNotice(done);
      }
      for (Done done : pair().await(pair().a, pair().a.receives, towardsA.notices())) {
        towardsA.checkNotice(done);
      }
    }
    towardsB.checkMemory();
    towardsA.checkMemory();
    assertEquals(QueuePairState.RTS, pair().a.queuePair.state());
  }
}
