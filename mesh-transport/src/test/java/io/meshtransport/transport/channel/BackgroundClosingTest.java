// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** {@link BackgroundClosing} of connections between two transports, and its {@link CloseStage}s. */
class BackgroundClosingTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int CONNECTIONS = 20;

  private static Transport open(int host) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            "127.77.44." + host + "/24",
            "MESH_HANDSHAKE_PORT",
            "0"));
  }

  private static List<Connection> connect(Transport from, Listener to) throws TransportException {
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      all.add(from.connect(to.handle(), ConnectOptions.DEFAULT, SOON));
    }
    return all;
  }

  @Test
  void shouldCloseOthersWhileWhatDependsOnOneBlocks() throws Exception {
    CountDownLatch blocking = new CountDownLatch(1);
    try (Transport a = open(5);
        Transport b = open(6);
        Listener listener = b.listen()) {
      List<Connection> all = connect(a, listener);
      CountDownLatch isBlocked = new CountDownLatch(1);
      CompletableFuture<Void> blocked;
      AtomicBoolean isHere = new AtomicBoolean();
      do {
        isHere.set(false);
        blocked = blocked(all.remove(0), isHere, isBlocked, blocking);
      } while (isHere.get());
      assertTrue(isBlocked.await(SOON.toSeconds(), TimeUnit.SECONDS));
      for (Connection each : all) {
        each.closeAsync().toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
      }
      assertFalse(blocked.isDone());
      blocking.countDown();
      blocked.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /**
   * What blocks the thread that closes a connection.
   *
   * @param isHere set where the connection was closed before there was anything to block
   */
  private static CompletableFuture<Void> blocked(
      Connection closing, AtomicBoolean isHere, CountDownLatch isBlocked, CountDownLatch blocking) {
    Thread here = Thread.currentThread();
    return closing
        .closeAsync()
        .toCompletableFuture()
        .thenRun(
            () -> {
              if (Thread.currentThread() == here) {
                isHere.set(true);
              } else {
                await(isBlocked, blocking);
              }
            });
  }

  private static void await(CountDownLatch isBlocked, CountDownLatch blocking) {
    isBlocked.countDown();
    try {
      assertTrue(blocking.await(SOON.toSeconds(), TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldCloseAll() throws Exception {
    try (Transport a = open(1);
        Transport b = open(2);
        Listener listener = b.listen()) {
      List<Connection> all = connect(a, listener);
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (Connection each : all) {
        ends.add(each.closeAsync().toCompletableFuture());
      }
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(SOON.toSeconds(), TimeUnit.SECONDS);
      for (Connection each : all) {
        assertEquals(ChannelState.CLOSED, each.state());
      }
    }
  }

  @Test
  void shouldEndWithTheTransport() throws Exception {
    List<Connection> all;
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    try (Transport b = open(4);
        Listener listener = b.listen();
        Transport a = open(3)) {
      all = connect(a, listener);
      all.forEach(each -> ends.add(each.closeAsync().toCompletableFuture()));
    }
    for (Connection each : all) {
      assertEquals(ChannelState.CLOSED, each.state());
    }
    CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
        .get(SOON.toSeconds(), TimeUnit.SECONDS);
  }
}
