// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.Traits;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two queue pairs are reset and connected again, in every order, with and without time between. */
class SimulatedReconnectTest {
  /** a and b reset a side, A and B connect it again. */
  private static final List<String> ORDERS =
      List.of("abAB", "abBA", "baAB", "baBA", "aAbB", "bBaA", "aA", "bB");

  /** Enough for a stream to come up or to end. */
  private static final long WHILE_NS = 1_000_000;

  private SimulatedFabric fabric;
  private ContractPair pair;

  static Stream<String> orders() {
    return ORDERS.stream();
  }

  private void open() throws Exception {
    fabric = new SimulatedFabric(1, SimulatedCable.usual());
    pair = new ContractPair(fabric.open("left"), fabric.open("right"), Traits.ofSoft());
    pair.connect(Setup.usual());
  }

  @ParameterizedTest
  @MethodSource("orders")
  void shouldWorkAfterwards(String order) throws Exception {
    for (int pauses = 0; pauses < 1 << order.length() + 1; pauses++) {
      open();
      for (int i = 0; i < order.length(); i++) {
        passIf((pauses >> i & 1) == 1);
        step(order.charAt(i));
      }
      passIf((pauses >> order.length() & 1) == 1);
      assertEquals(
          List.of(QueuePairState.RTS, QueuePairState.RTS),
          List.of(pair.a.queuePair.state(), pair.b.queuePair.state()),
          "pauses " + Integer.toBinaryString(pauses));
      exchange(pair.a, pair.b);
      exchange(pair.b, pair.a);
      pair.close();
    }
  }

  private void passIf(boolean isWanted) {
    if (isWanted) {
      fabric.runUntil(fabric.nowNs() + WHILE_NS);
    }
  }

  /** Before the reset or after it, whenever that is. */
  @Test
  void shouldCarryOutAWriteInFlightToAQueuePairThatIsReset() throws Exception {
    for (int steps = 0; steps < 40; steps++) {
      open();
      pair.a.fill(0, 1000, steps);
      pair.a.postWrite(1, 0, 1000, pair.b, 5000);
      for (int i = 0; i < steps; i++) {
        fabric.step();
      }
      step('b');
      step('B');
      pair.expectSent(pair.a, 1, SUCCESS);
      pair.b.expect(5000, 1000, steps);
      pair.close();
    }
  }

  private void step(char step) throws Exception {
    switch (step) {
      case 'a' -> pair.a.queuePair.toReset();
      case 'b' -> pair.b.queuePair.toReset();
      case 'A' -> connect(pair.a, pair.b);
      default -> connect(pair.b, pair.a);
    }
  }

  /** A host that stalls is not a peer that is silent. */
  @Test
  void shouldNotGiveUpAPeerForTimeInWhichTheOwnProgramWasStalled() throws Exception {
    open();
    step('a');
    step('b');
    step('A');
    pair.a.postWrite(1, 0, 10, pair.b, 0);
    fabric.stop("left");
    fabric.runUntil(fabric.nowNs() + 10 * pair.a.readyToSend().softSilenceNs());
    fabric.resume("left");
    // Its timers are overdue, and come first.
    passIf(true);
    step('B');
    pair.expectSent(pair.a, 1, SUCCESS);
    pair.close();
  }

  private static void connect(Endpoint one, Endpoint other) throws Exception {
    one.toInit();
    one.toReadyToReceive(other);
    one.toReadyToSend();
  }

  private void exchange(Endpoint sender, Endpoint receiver) {
    receiver.postReceive(1, 0, 10);
    sender.postSend(2, 0, 10);
    pair.expectSent(sender, 2, SUCCESS);
    pair.expectReceived(receiver, 1, SUCCESS);
  }
}
