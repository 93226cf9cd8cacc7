// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import static io.meshtransport.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.RNR_RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.rc.RnrTimer;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What queue pairs do when cables are cut and programs stop, in virtual time.
 *
 * <p>Also tests {@link SimulatedNode}.
 */
class SimulatedFabricTest {
  private static final int MESSAGES = 16;

  /** Of the usual bound of software, near enough. */
  private static final Setup TWO_SECONDS = Setup.usual().withPatience(16, 6);

  private final long seed = Long.getLong("fabric.seed", new Random().nextLong());
  private SimulatedFabric fabric;
  private Endpoint a;
  private Endpoint b;

  private void open(long newSeed, Setup setup) throws VerbsException {
    fabric = new SimulatedFabric(newSeed, SimulatedCable.usual());
    VerbsDevice left = fabric.open("left");
    VerbsDevice right = fabric.open("right");
    a = new Endpoint(left, setup, 1);
    b = new Endpoint(right, setup, 2);
    Endpoint.connect(a, b);
    fabric.runUntil(1_000_000);
  }

  private void open(Setup setup) throws VerbsException {
    System.out.println("repeat with -Dfabric.seed=" + seed);
    open(seed, setup);
  }

  /** Everything that completes on both sides until nothing is planned any more. */
  private void runDry(List<Done> sent, List<Done> received) {
    do {
      sent.addAll(a.poll(a.sends, 100));
      received.addAll(b.poll(b.receives, 100));
    } while (fabric.step());
    sent.addAll(a.poll(a.sends, 100));
    received.addAll(b.poll(b.receives, 100));
  }

  private void postMessages() {
    for (int i = 0; i < MESSAGES; i++) {
      b.postReceive(i, i * 10_000, 10_000);
      a.postSend(i, 0, 10_000);
    }
  }

  @Test
  void shouldGiveUpASilentPeerExactlyWhenTheBoundHasPassed() throws Exception {
    open(TWO_SECONDS);
    fabric.cut("left", "right");
    long startNs = fabric.nowNs();
    a.postSend(1, 0, 10);
    a.postSend(2, 0, 10);
    List<Done> sent = new ArrayList<>();
    while (sent.isEmpty()) {
      sent.addAll(a.poll(a.sends, 2));
    }
    assertEquals(startNs + a.readyToSend().softSilenceNs(), fabric.nowNs());
    assertEquals(RETRY_EXC_ERR, sent.get(0).status());
    assertEquals(WR_FLUSH_ERR, sent.get(1).status());
  }

  @Test
  void shouldLoseNothingWhileAProgramIsStopped() throws Exception {
    open(Setup.usual());
    fabric.stop("right");
    postMessages();
    fabric.runUntil(fabric.nowNs() + 100 * a.readyToSend().softSilenceNs());
    assertEquals(List.of(), a.poll(a.sends, 1));
    fabric.resume("right");
    for (int i = 0; i < MESSAGES; i++) {
      assertEquals(SUCCESS, await(b, true).status());
      assertEquals(SUCCESS, await(a, false).status());
    }
  }

  /** Holes at any moment of the traffic, both ways, each with TCP's repeats behind it. */
  @Test
  void shouldLoseNothingInHolesThatTcpGetsOver() throws Exception {
    System.out.println("repeat with -Dfabric.seed=" + seed);
    Random random = new Random(seed);
    for (int holeMs : new int[] {250, 500, 850, 1200}) {
      for (int round = 0; round < 20; round++) {
        open(random.nextLong(), TWO_SECONDS);
        postMessages();
        for (int i = random.nextInt(60); i > 0; i--) {
          fabric.step();
        }
        fabric.cut("left", "right");
        fabric.runUntil(fabric.nowNs() + holeMs * 1_000_000L);
        fabric.mend("left", "right");
        expectAllInOrder(holeMs + " ms, round " + round);
      }
    }
  }

  @Test
  void shouldLoseNothingWhereTheCableLosesFivePercent() throws Exception {
    System.out.println("repeat with -Dfabric.seed=" + seed);
    Random random = new Random(seed);
    open(random.nextLong(), TWO_SECONDS);
    fabric.lose(5);
    long endNs = fabric.nowNs() + 20_000_000_000L;
    for (int round = 0; fabric.nowNs() < endNs; round++) {
      postMessages();
      expectAllInOrder("round " + round);
    }
  }

  private void expectAllInOrder(String when) {
    for (int i = 0; i < MESSAGES; i++) {
      Done received = await(b, true);
      assertEquals(i + " " + SUCCESS, received.id() + " " + received.status(), when);
      Done sent = await(a, false);
      assertEquals(i + " " + SUCCESS, sent.id() + " " + sent.status(), when);
    }
  }

  @Test
  void shouldLoseNothingWhenACableIsMendedInTime() throws Exception {
    open(TWO_SECONDS);
    fabric.cut("left", "right");
    postMessages();
    fabric.runUntil(fabric.nowNs() + a.readyToSend().softSilenceNs() / 2);
    fabric.mend("left", "right");
    for (int i = 0; i < MESSAGES; i++) {
      assertEquals(SUCCESS, await(b, true).status());
      assertEquals(SUCCESS, await(a, false).status());
    }
  }

  private Done await(Endpoint endpoint, boolean isReceive) {
    for (int polls = 0; polls < 100_000; polls++) {
      List<Done> done = endpoint.poll(isReceive ? endpoint.receives : endpoint.sends, 1);
      if (!done.isEmpty()) {
        return done.get(0);
      }
    }
    throw new AssertionError("nothing completed by " + fabric.nowNs() + " ns");
  }

  @Test
  void shouldTryAgainAsOftenAsRnrRetrySays() throws Exception {
    for (int retries = 0; retries < 7; retries++) {
      open(Setup.usual().withRnr(retries, 14));
      long startNs = fabric.nowNs();
      a.postSend(1, 0, 10);
      assertEquals(RNR_RETRY_EXC_ERR, await(a, false).status());
      long waits = (fabric.nowNs() - startNs) / RnrTimer.waitNs(14);
      assertEquals(retries, waits, "waits of 1.28 ms each");
    }
  }

  @Test
  void shouldFailAtOnceWhenTheProgramOfThePeerDies() throws Exception {
    open(Setup.usual());
    fabric.stop("right");
    postMessages();
    a.postReceive(99, 0, 10);
    long startNs = fabric.nowNs();
    fabric.kill("right");
    assertEquals(RETRY_EXC_ERR, await(a, false).status());
    for (int i = 1; i < MESSAGES; i++) {
      assertEquals(WR_FLUSH_ERR, await(a, false).status());
    }
    assertEquals(WR_FLUSH_ERR, await(a, true).status());
    assertTrue(fabric.nowNs() - startNs < 1_000_000, "took " + (fabric.nowNs() - startNs) + " ns");
  }

  @Test
  void shouldEndTheStreamThatBringsADamagedFrame() throws Exception {
    open(Setup.usual());
    fabric.corrupt("left");
    b.postReceive(1, 0, 10);
    a.postSend(2, 0, 10);
    assertEquals(RETRY_EXC_ERR, await(a, false).status());
    assertEquals(WR_FLUSH_ERR, await(b, true).status());
  }

  /** A message may fail at the sender though it arrived; it never arrives twice or out of order. */
  @Test
  void shouldDeliverExactlyOnceOrFailWhereverTheCableIsCut() throws Exception {
    System.out.println("repeat with -Dfabric.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      open(random.nextLong(), Setup.usual());
      postMessages();
      int steps = random.nextInt(120);
      for (int i = 0; i < steps; i++) {
        fabric.step();
      }
      fabric.cut("left", "right");
      List<Done> sent = new ArrayList<>();
      List<Done> received = new ArrayList<>();
      runDry(sent, received);
      assertEquals(MESSAGES, sent.size(), "after " + steps + " steps");
      long acknowledged = countLeading(sent);
      long arrived = received.stream().filter(done -> done.status() == SUCCESS).count();
      assertTrue(acknowledged <= arrived, acknowledged + " of " + arrived);
      for (int i = 0; i < arrived; i++) {
        assertEquals(i, received.get(i).id());
      }
    }
  }

  /** How many succeeded before the first that did not; all others must then have failed. */
  private static long countLeading(List<Done> sent) {
    int count = 0;
    while (count < sent.size() && sent.get(count).status() == SUCCESS) {
      count++;
    }
    for (int i = count; i < sent.size(); i++) {
      CompletionStatus wanted = i == count ? RETRY_EXC_ERR : WR_FLUSH_ERR;
      assertEquals(wanted, sent.get(i).status());
      assertEquals(i, sent.get(i).id());
    }
    return count;
  }

  @Test
  void shouldDoTheSameAgainWithTheSameSeed() throws Exception {
    assertEquals(traceOf(seed), traceOf(seed));
  }

  private long traceOf(long ofSeed) throws VerbsException {
    open(ofSeed, Setup.usual());
    postMessages();
    runDry(new ArrayList<>(), new ArrayList<>());
    return fabric.traceHash();
  }
}
