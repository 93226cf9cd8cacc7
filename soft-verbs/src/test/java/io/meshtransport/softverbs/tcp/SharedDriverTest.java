// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsDevice;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The devices of one provider have one driver, and those of another have another.
 *
 * <p>Also tests {@link DrivenDevice} and {@link DrivenDevices}.
 */
class SharedDriverTest {
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

  private static Driver driver(VerbsDevice device) {
    return ((TcpNetwork) ((SoftDevice) device).network()).driver();
  }

  @Test
  void shouldServeTheOthersAfterOneHasClosed() throws Exception {
    SoftProvider provider = new SoftProvider();
    VerbsDevice first = provider.open("lo-127.77.70.1");
    try (ContractPair pair =
        new ContractPair(
            provider.open("lo-127.77.70.2"),
            new SoftProvider().open("lo-127.77.70.3"),
            Traits.ofSoft())) {
      assertSame(driver(first), driver(pair.left));
      assertNotSame(driver(first), driver(pair.right));
      first.close();
      pair.connect();
      pair.b.postReceive(1, 0, 100);
      pair.a.postSend(2, 0, 100);
      pair.expectSent(pair.a, 2, SUCCESS);
      pair.expectReceived(pair.b, 1, SUCCESS);
      // Its address is free at once.
      provider.open("lo-127.77.70.1").close();
    }
  }

  @Test
  void shouldStartAnewAfterTheLastHasClosed() throws Exception {
    SoftProvider provider = new SoftProvider();
    VerbsDevice first = provider.open("lo-127.77.70.4");
    Driver closed = driver(first);
    first.close();
    try (VerbsDevice second = provider.open("lo-127.77.70.4")) {
      assertNotSame(closed, driver(second));
    }
  }

  /** As where the host has no thread for it: here, since a thread starts but once. */
  @Test
  void shouldCloseTheDriverThatCannotBeStarted() throws Exception {
    Driver driver = new Driver();
    driver.start();
    assertThrows(IllegalThreadStateException.class, () -> SharedDriver.started(driver));
    try (SocketChannel channel = SocketChannel.open()) {
      assertThrows(
          ClosedSelectorException.class,
          () -> driver.register(channel, SelectionKey.OP_CONNECT, /* registration= */ null));
    }
  }

  @Test
  void shouldWakeOneThreadForEventsOfTwoDevices() throws Exception {
    SoftProvider here = new SoftProvider();
    SoftProvider there = new SoftProvider();
    try (ContractPair one =
            new ContractPair(
                here.open("lo-127.77.70.5"), there.open("lo-127.77.70.6"), Traits.ofSoft());
        ContractPair other =
            new ContractPair(
                here.open("lo-127.77.70.7"), there.open("lo-127.77.70.8"), Traits.ofSoft())) {
      one.connect();
      other.connect();
      Endpoint[] receivers = {one.a, other.a};
      CompletionEvents events = one.left.createCompletionEvents();
      for (Endpoint receiver : receivers) {
        receiver.channel.attach(events, receiver);
      }
      for (int round = 0; round < 20; round++) {
        ContractPair pair = round % 2 == 0 ? one : other;
        Endpoint receiver = receivers[round % 2];
        receiver.postReceive(round, 0, 100);
        assertEquals(0, receiver.receives.requestNotify(false));
        pair.b.postSend(round, 0, 100);
        assertTrue(events.await(LIMIT_NS));
        assertSame(receiver, events.next());
        assertNull(events.next());
        pair.expectReceived(receiver, round, SUCCESS);
        pair.expectSent(pair.b, round, SUCCESS);
      }
      for (Endpoint receiver : receivers) {
        receiver.channel.detach();
      }
      events.close();
    }
  }
}
