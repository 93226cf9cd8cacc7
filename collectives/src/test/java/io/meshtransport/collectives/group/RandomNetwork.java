// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;

/**
 * Transports in memory, of which only neighbours in a graph reach each other, and what has come
 * over a connection is seen at some later poll, which a seed decides: so connections overtake each
 * other in any way. Any thread.
 */
final class RandomNetwork implements AutoCloseable {
  private static final long PAUSE_NS = 20_000;

  /** Of polls of a connection: in how many what has come is not seen yet. */
  private static final double UNSEEN = 0.4;

  private final BiPredicate<Integer, Integer> areNeighbours;
  private final long seed;
  private final List<InMemoryTransport> inner = new ArrayList<>();
  private final List<Transport> transports = new ArrayList<>();
  private final Map<String, Integer> ranks = new ConcurrentHashMap<>();
  private final List<List<Connection>> connections = new ArrayList<>();
  private final List<List<String>> transfers = new ArrayList<>();

  RandomNetwork(int size, BiPredicate<Integer, Integer> areNeighbours, long seed) {
    this.areNeighbours = areNeighbours;
    this.seed = seed;
    for (int rank = 0; rank < size; rank++) {
      int self = rank;
      InMemoryTransport transport = new InMemoryTransport("node-" + (char) ('a' + rank));
      inner.add(transport);
      ranks.put(transport.self().id(), rank);
      connections.add(new CopyOnWriteArrayList<>());
      transfers.add(new CopyOnWriteArrayList<>());
      transports.add(
          (Transport)
              Proxy.newProxyInstance(
                  Transport.class.getClassLoader(),
                  new Class<?>[] {Transport.class},
                  (proxy, method, arguments) -> call(self, method, arguments)));
    }
  }

  Transport transport(int rank) {
    return transports.get(rank);
  }

  /** All connections of a rank break, as those of a process that is killed. */
  void kill(int rank) {
    connections.get(rank).forEach(InMemoryTransport::cut);
  }

  /** Whom a rank has put to, or been put to by: one name for all in a row of the same. */
  List<String> transfers(int rank) {
    return List.copyOf(transfers.get(rank));
  }

  private void record(List<String> seen, Completions completions, int count) {
    for (int i = 0; i < count; i++) {
      CompletionKind kind = completions.kind(i);
      String peer = completions.connection(i).peer().name();
      boolean isTransfer = kind == CompletionKind.PUT || kind == CompletionKind.NOTICE;
      if (isTransfer && (seen.isEmpty() || !seen.get(seen.size() - 1).equals(peer))) {
        seen.add(peer);
      }
    }
  }

  private Object call(int self, Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "nics" -> {
        // They have no addresses of cables.
        return List.of();
      }
      case "newPoller" -> {
        return new RandomPoller(self);
      }
      case "connect" -> {
        int other = ranks.get(inner.get(self).nodeId((byte[]) arguments[0]));
        if (arguments.length == 2 && !areNeighbours.test(self, other)) {
          return refused(self, other);
        }
      }
      default -> {}
    }
    try {
      return method.invoke(inner.get(self), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static ChannelFuture<Connection> refused(int self, int other) {
    ChannelFuture<Connection> refused = new ChannelFuture<>();
    refused.completeExceptionally(
        new TransportException(
            TransportException.Reason.NO_ROUTE, "no cable of " + self + " and " + other));
    return refused;
  }

  @Override
  public void close() {
    inner.forEach(Transport::close);
  }

  /** One poller in memory for each connection, so that each is seen when the seed says. */
  private final class RandomPoller extends TestPoller {
    private final int self;
    private final Random random;
    private final List<Poller> pollers = new CopyOnWriteArrayList<>();
    private volatile boolean isWoken;

    RandomPoller(int self) {
      this.self = self;
      random = new Random(seed * 31 + self);
    }

    @Override
    public void add(Connection connection) {
      connections.get(self).add(connection);
      try {
        Poller one = inner.get(self).newPoller();
        one.add(connection);
        pollers.add(one);
      } catch (TransportException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public int poll(Completions into) {
      into.clear();
      int size = pollers.size();
      int first = size == 0 ? 0 : random.nextInt(size);
      for (int i = 0; i < size; i++) {
        if (random.nextDouble() >= UNSEEN) {
          int count = pollers.get((first + i) % size).poll(into);
          if (count > 0) {
            record(transfers.get(self), into, count);
            return count;
          }
        }
      }
      return 0;
    }

    @Override
    public int await(Completions into, long timeoutNs) {
      long beginNs = System.nanoTime();
      int count = poll(into);
      while (count == 0
          && !isWoken
          && !Thread.currentThread().isInterrupted()
          && System.nanoTime() - beginNs < timeoutNs) {
        LockSupport.parkNanos(PAUSE_NS);
        count = poll(into);
      }
      isWoken = false;
      return count;
    }

    @Override
    public void wakeup() {
      isWoken = true;
    }

    @Override
    public void close() {
      pollers.forEach(Poller::close);
    }
  }
}
