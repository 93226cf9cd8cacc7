// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.MessageQueue;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests that both ends count the messages of a multi-receive alike, {@link MultiReceives} at the
 * receiver and {@link AdvertisedReceives} at the sender; and what the sender refuses. {@link
 * MessageQueue} is behind the contract's pollers.
 */
class MultiReceivesTest {
  private static final int SLOT = 1;
  private static final int RECEIVE = ImmediateData.receive(SLOT, 0);
  private static final int TAG = 9;
  private static final long ADDRESS = 1 << 20;
  private static final int ROUNDS = 2_000;

  /** Nobody looks into it here. */
  private static final RegisteredMemory MEMORY =
      (RegisteredMemory)
          Proxy.newProxyInstance(
              RegisteredMemory.class.getClassLoader(),
              new Class<?>[] {RegisteredMemory.class},
              (proxy, method, arguments) -> {
                throw new AssertionError(method);
              });

  private final AdvertisedReceives sender = new AdvertisedReceives(1, Transport.MAX_REQUESTS);
  private final MultiReceives receiver = new MultiReceives();

  @Test
  void shouldPutEachMessageWhereThePeerExpectsIt() {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      int longest = random.nextInt(100);
      int length = longest + random.nextInt(1_000);
      MultiReceive multi =
          new MultiReceive(MEMORY, 0, length, longest, 1 + random.nextInt(20), TAG);
      receiver.begin(SLOT, multi);
      assertEquals("", advertise(length, longest, multi.messages()));
      long sum = 0;
      int count = 0;
      while (sender.find(TAG) == RECEIVE) {
        assertFalse(receiver.isFull(SLOT), "seed " + seed);
        assertEquals(longest, sender.longestBytes(RECEIVE));
        int message = random.nextInt(longest + 1);
        long address = sender.address(RECEIVE, 0);
        assertTrue(address - ADDRESS + message <= length, "seed " + seed);
        sender.use(RECEIVE, message);
        assertEquals(address - ADDRESS, receiver.arrived(SLOT, message), "seed " + seed);
        sum += message;
        count++;
      }
      assertTrue(receiver.isFull(SLOT), "seed " + seed);
      assertEquals(sum, receiver.sumBytes(SLOT));
      assertEquals(count, receiver.count(SLOT));
      assertEquals(0, sender.withdraw(SLOT), "it is full");
    }
  }

  @Test
  void shouldSayHowManyMessagesAreOnTheirWayToOneThatIsWithdrawn() {
    receiver.begin(SLOT, new MultiReceive(MEMORY, 0, 1_000, 10, 20, TAG));
    assertEquals("", advertise(1_000, 10, 20));
    sender.use(RECEIVE, 1);
    sender.use(RECEIVE, 2);
    assertEquals(3, sender.withdraw(SLOT), "one more than the two");
    assertEquals(AdvertisedReceives.NONE, sender.find(TAG));
    receiver.arrived(SLOT, 1);
    assertFalse(receiver.withdraw(SLOT, 0), "one has come");
    assertFalse(receiver.withdraw(SLOT, 20), "it would be full");
    assertTrue(receiver.withdraw(SLOT, 2));
    assertFalse(receiver.isWithdrawn(SLOT));
    receiver.arrived(SLOT, 2);
    assertTrue(receiver.isWithdrawn(SLOT));
  }

  @Test
  void shouldEndWithAMessageThatIsTooLong() {
    assertEquals("", advertise(1_000, 10, 20));
    sender.use(RECEIVE, 11);
    assertEquals(AdvertisedReceives.NONE, sender.find(TAG));
  }

  @Test
  void shouldRefuseWhatNoReceiverSends() {
    assertTrue(advertise(100, 101, 1).contains("up to 101 bytes"));
    assertTrue(advertise(100, -1, 1).contains("up to -1 bytes"));
    assertTrue(advertise(100, 1, 0).contains("0 messages"));
    assertTrue(advertise(100, 1, MultiReceive.MAX_MESSAGES + 1).contains("257 messages"));
    assertEquals("", advertise(100, 1, 1));
    assertTrue(advertise(100, 1, 1).contains("second receive"));
    assertTrue(
        sender
            .addMulti(ByteBuffer.allocate(ControlMessage.multiBytes(1)), 0, 39)
            .contains("in 39 bytes"));
  }

  private String advertise(long lengthBytes, long longestBytes, int messages) {
    ByteBuffer buffer = ByteBuffer.allocate(ControlMessage.multiBytes(1));
    ControlMessage.putAdvertiseMulti(buffer, 0, SLOT, 1, messages, longestBytes);
    ControlMessage.putReceive(buffer, 0, 0, 1, lengthBytes, TAG);
    ControlMessage.putAddress(buffer, 0, 0, 0, 1, ADDRESS, 1);
    return sender.addMulti(buffer, 0, buffer.capacity());
  }
}
