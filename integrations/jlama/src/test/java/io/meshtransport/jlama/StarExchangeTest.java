// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A star on the loopback interface; also tests {@link StarCenter} and {@link StarMethods}. */
@Tag("slow")
class StarExchangeTest {
  private static final String HERE = "127.0.0.1";

  @Test
  void shouldSumAndPublishAtEveryWorker() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (StarCenter center = StarCenter.open(2);
        StarExchange first = new StarExchange(HERE, center.port(), Optional.of(center::publish));
        StarExchange second = new StarExchange(HERE, center.port(), Optional.empty())) {
      for (int round = 1; round <= 3; round++) {
        FloatBuffer one = FloatBuffer.wrap(new float[] {round, 2});
        FloatBuffer two = FloatBuffer.wrap(new float[] {0.5f, -2});
        int token = 40 + round;

        Future<Integer> other =
            threads.submit(
                () -> {
                  second.sum(two);
                  return second.token(-1);
                });
        first.sum(one);
        assertEquals(token, first.token(token));
        assertEquals(token, other.get());

        assertArrayEquals(new float[] {round + 0.5f, 0}, one.array());
        assertArrayEquals(new float[] {round + 0.5f, 0}, two.array());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldCloseItsChannelWhenThereIsNoGreeting() throws Exception {
    int port;
    try (StarCenter gone = StarCenter.open(1)) {
      port = gone.port();
    }
    ManagedChannel channel = ManagedChannelBuilder.forAddress(HERE, port).usePlaintext().build();
    assertThrows(ShardExchangeException.class, () -> new StarExchange(channel, Optional.empty()));
    assertTrue(channel.isShutdown());
  }

  @Test
  void shouldFailWhereTheCenterHasGone() throws Exception {
    StarCenter center = StarCenter.open(2);
    try (StarExchange worker = new StarExchange(HERE, center.port(), Optional.empty())) {
      center.close();

      assertThrows(
          ShardExchangeException.class, () -> worker.sum(FloatBuffer.wrap(new float[] {1})));
    }
  }

  @Test
  void shouldFailWhereThereIsNoCenter() throws Exception {
    int port;
    try (StarCenter center = StarCenter.open(1)) {
      port = center.port();
    }

    assertThrows(
        ShardExchangeException.class, () -> new StarExchange(HERE, port, Optional.empty()));
  }

  @Test
  void shouldCarryMessagesAsTheyAre() throws Exception {
    byte[] message = {1, 2, 3};

    assertArrayEquals(
        message, StarMethods.COMBINE.parseRequest(StarMethods.COMBINE.streamRequest(message)));
    assertEquals(
        List.of("combine", "generate"),
        List.of(StarMethods.COMBINE.getBareMethodName(), StarMethods.GENERATE.getBareMethodName()));
  }
}
