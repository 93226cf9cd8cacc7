// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many queue pairs of two devices on one TCP connection: none blocks another. */
class ManyQueuePairsTest {
  private static final String LEFT = "127.77.60.1";
  private static final String RIGHT = "127.77.60.2";
  private static final int LONG_BYTES = 8 << 20;
  private static final int SHORT_BYTES = 64;

  private static final Setup SMALL = Setup.usual().withMemory(4096, Setup.ALL_ACCESS);
  private static final Setup LARGE = Setup.usual().withMemory(LONG_BYTES, Setup.ALL_ACCESS);

  /** Two connected endpoints, the first on the left device. */
  private record Couple(Endpoint a, Endpoint b) {}

  private ContractPair pair;

  @BeforeEach
  void openDevices() throws Exception {
    SoftProvider provider = new SoftProvider();
    pair =
        new ContractPair(
            provider.open("lo-" + LEFT), provider.open("lo-" + RIGHT), Traits.ofSoft());
  }

  @AfterEach
  void closeDevices() throws Exception {
    pair.close();
  }

  private Couple connect(Setup setup) throws Exception {
    pair.connect(setup);
    return new Couple(pair.a, pair.b);
  }

  private List<Couple> connect(int count, Setup setup) throws Exception {
    List<Couple> couples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      couples.add(connect(setup));
    }
    return couples;
  }

  private static void post(Endpoint sender, Endpoint receiver, int seed) {
    sender.fill(0, SHORT_BYTES, seed);
    receiver.postReceive(seed, SHORT_BYTES, SHORT_BYTES);
    sender.postSend(seed, 0, SHORT_BYTES);
  }

  private void expect(Endpoint sender, Endpoint receiver, int seed) {
    pair.expectSent(sender, seed, SUCCESS);
    pair.expectReceived(receiver, seed, SUCCESS);
    receiver.expect(SHORT_BYTES, SHORT_BYTES, seed);
  }

  /** Both ways, each message with bytes of its own. */
  private void exchange(Couple couple, int seed) {
    post(couple.a, couple.b, seed);
    expect(couple.a, couple.b, seed);
    post(couple.b, couple.a, seed + 1);
    expect(couple.b, couple.a, seed + 1);
  }

  /** Where both ends have dialled, the connection that is not used is there for a moment. */
  private static void expectOneConnection() {
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Connections.between(LEFT, RIGHT) == 1);
  }

  /** A queue pair whose peer is late needs no firewall to be opened. */
  @Test
  void shouldNotAdviseAboutFirewallsWhereTheConnectionIsUp() throws Exception {
    exchange(connect(SMALL), 1);
    pair.make(SMALL, SMALL);
    pair.a.toInit();
    pair.b.toInit();
    pair.a.toReadyToReceive(pair.b);
    String text = pair.a.queuePair.connectionText();
    assertTrue(text.contains("is up, and the peer has not answered there"), text);
    assertFalse(text.contains("Firewalls"), text);
  }

  @Test
  void shouldCarryAHundredQueuePairsByOneConnection() throws Exception {
    List<Couple> couples = connect(100, SMALL);
    for (int i = 0; i < couples.size(); i++) {
      post(couples.get(i).a, couples.get(i).b, i);
      post(couples.get(i).b, couples.get(i).a, 1000 + i);
    }
    for (int i = 0; i < couples.size(); i++) {
      expect(couples.get(i).a, couples.get(i).b, i);
      expect(couples.get(i).b, couples.get(i).a, 1000 + i);
    }
    expectOneConnection();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("slow")
  void shouldNotAffectOthersWhenOneEndsInMidWrite(boolean isSenderDestroyed) throws Exception {
    Couple bulk = connect(LARGE);
    Couple small = connect(SMALL);
    bulk.a.fill(0, LONG_BYTES, 77);
    for (int round = 0; round < 3; round++) {
      Couple victim = connect(LARGE);
      victim.a.fill(0, LONG_BYTES, round);
      byte first = Endpoint.pattern(0, round);
      assertTrue(first != 0, "a byte that shows");
      bulk.b.memory.clear().put(new byte[LONG_BYTES]).clear();

      victim.a.postWrite(1, 0, LONG_BYTES, victim.b, 0);
      bulk.a.postWrite(2, 0, LONG_BYTES, bulk.b, 0);
      post(small.a, small.b, 10 * round);
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (victim.b.memory.get(0) != first) {
        assertTrue(System.nanoTime() - endNs < 0, "nothing comes");
        Thread.onSpinWait();
      }
      (isSenderDestroyed ? victim.a : victim.b).queuePair.close();

      pair.expectSent(bulk.a, 2, SUCCESS);
      bulk.b.expect(0, LONG_BYTES, 77);
      expect(small.a, small.b, 10 * round);
      exchange(small, 10 * round + 1);
      expectOneConnection();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotAffectOthersWhenOneIsResetAndConnectedAgain(boolean isLeftFirst) throws Exception {
    Couple bulk = connect(LARGE);
    Couple small = connect(SMALL);
    bulk.a.fill(0, LONG_BYTES, 77);
    Endpoint first = isLeftFirst ? small.a : small.b;
    Endpoint second = isLeftFirst ? small.b : small.a;
    for (int round = 0; round < 4; round++) {
      bulk.b.memory.clear().put(new byte[LONG_BYTES]).clear();
      bulk.a.postWrite(2, 0, LONG_BYTES, bulk.b, 0);
      // In odd rounds a message is in flight when its queue pair is reset.
      if (round % 2 == 1) {
        small.b.postReceive(90, 0, SHORT_BYTES);
        small.a.postSend(91, 0, SHORT_BYTES);
      }
      first.queuePair.toReset();
      second.queuePair.toReset();
      drain(first);
      drain(second);
      Endpoint.connect(first, second);

      exchange(small, 10 * round);
      pair.expectSent(bulk.a, 2, SUCCESS);
      bulk.b.expect(0, LONG_BYTES, 77);
      expectOneConnection();
    }
  }

  /** What completed before the reset is of no interest. */
  private static void drain(Endpoint endpoint) {
    while (!endpoint.poll(endpoint.sends, 1).isEmpty()) {}
    while (!endpoint.poll(endpoint.receives, 1).isEmpty()) {}
  }

  @Test
  void shouldConnectOneResetEndAfterTheOtherWhileOthersSend() throws Exception {
    Couple bulk = connect(LARGE);
    bulk.a.fill(0, LONG_BYTES, 77);
    for (boolean isLeftFirst : new boolean[] {true, false}) {
      // Nothing was sent yet, so the end that is not reset waits for the other to come back.
      Couple small = connect(SMALL);
      Endpoint first = isLeftFirst ? small.a : small.b;
      Endpoint second = isLeftFirst ? small.b : small.a;
      bulk.a.postWrite(2, 0, LONG_BYTES, bulk.b, 0);
      first.queuePair.toReset();
      first.toInit();
      first.toReadyToReceive(second);
      first.toReadyToSend();
      exchange(small, 5);
      second.queuePair.toReset();
      drain(second);
      first.queuePair.toReset();
      drain(first);
      Endpoint.connect(second, first);
      exchange(small, 7);
      pair.expectSent(bulk.a, 2, SUCCESS);
    }
    expectOneConnection();
  }

  @Test
  void shouldConnectQueuePairsOfOneDevice() throws Exception {
    List<Endpoint> endpoints = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        endpoints.add(new Endpoint(pair.left, SMALL, 100 + i));
      }
      Couple upwards = new Couple(endpoints.get(0), endpoints.get(1));
      Couple downwards = new Couple(endpoints.get(3), endpoints.get(2));
      Couple mixed = new Couple(endpoints.get(4), endpoints.get(5));
      for (Couple couple : List.of(upwards, downwards, mixed)) {
        Endpoint.connect(couple.a, couple.b);
      }
      Couple outward = connect(SMALL);
      for (int round = 0; round < 3; round++) {
        exchange(upwards, 1);
        exchange(downwards, 3);
        exchange(mixed, 5);
        exchange(outward, 7);
        assertEquals(2, Connections.between(LEFT, LEFT), "both ends of one");
        mixed.b.queuePair.toReset();
        mixed.a.queuePair.toReset();
        drain(mixed.a);
        drain(mixed.b);
        Endpoint.connect(mixed.b, mixed.a);
      }
    } finally {
      for (Endpoint endpoint : endpoints) {
        endpoint.close();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldEndTheConnectionAfterItsLastStreamAndMakeAnother() throws Exception {
    for (int round = 0; round < 2; round++) {
      Couple first = connect(SMALL);
      exchange(first, 1);
      first.a.close();
      first.b.close();
      Couple second = connect(SMALL);
      exchange(second, 3);
      expectOneConnection();
      second.b.close();
      second.a.close();
      Awaitility.await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> Connections.between(LEFT, RIGHT) == 0);
    }
    exchange(connect(SMALL), 5);
    expectOneConnection();
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws Exception {
    List<Couple> couples = connect(4, SMALL);
    WorkCompletions batch = pair.a.sends.newCompletions(16);
    sendAndReceive(couples, 20_000, batch);
    long allocatedBytes =
        AllocationCounter.ofThisThread().bytes(() -> sendAndReceive(couples, 50_000, batch));
    // Slack for what the JVM does now and then, but not for the smallest object, which has 16
    // bytes, for every tenth message.
    assertTrue(
        allocatedBytes < 50_000, "allocated " + allocatedBytes + " bytes for 50000 messages");
  }

  private static void sendAndReceive(List<Couple> couples, int messages, WorkCompletions batch) {
    for (int i = 0; i < messages / couples.size(); i++) {
      for (int j = 0; j < couples.size(); j++) {
        send(couples.get(j), i);
      }
      for (int j = 0; j < couples.size(); j++) {
        end(couples.get(j), batch);
      }
    }
  }

  /** Polls both ends in turn, for the receiver's answer leaves with its next poll. */
  private static void end(Couple couple, WorkCompletions batch) {
    int received = 0;
    int sent = 0;
    while (received == 0 || sent == 0) {
      received += couple.b.receives.poll(batch);
      sent += couple.a.sends.poll(batch);
    }
  }

  private static void send(Couple couple, int id) {
    Endpoint a = couple.a;
    Endpoint b = couple.b;
    b.receiveChain.clear();
    b.receiveChain.begin(id);
    b.receiveChain.sge(b.region.address(), SHORT_BYTES, b.region.localKey());
    b.queuePair.postReceive(b.receiveChain);
    a.chain.clear();
    a.chain.begin(id, SendOpcode.SEND, SendFlags.SIGNALED);
    a.chain.sge(a.region.address(), SHORT_BYTES, a.region.localKey());
    a.queuePair.postSend(a.chain);
  }
}
