// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections between two transports that are closed without a thread that waits. */
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
  void shouldCloseAllOnOneThread() throws Exception {
    try (Transport a = open(1);
        Transport b = open(2);
        Listener listener = b.listen()) {
      List<Connection> all = connect(a, listener);
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (Connection each : all) {
        CompletableFuture<Void> end = each.closeAsync().toCompletableFuture();
        ends.add(end.thenRun(() -> threads.add(Thread.currentThread())));
      }
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(SOON.toSeconds(), TimeUnit.SECONDS);
      for (Connection each : all) {
        assertEquals(ChannelState.CLOSED, each.state());
      }
      Set<String> names = new HashSet<>();
      threads.remove(Thread.currentThread());
      threads.forEach(each -> names.add(each.getName()));
      names.remove("mesh-close");
      assertEquals(Set.of(), names);
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
