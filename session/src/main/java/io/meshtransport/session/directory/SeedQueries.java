// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.apache.logging.log4j.Logger;

/**
 * Queries addresses for the handle of the node there: one query at a time for each, remembering the
 * last answer. Answers and failures arrive on the timer's threads, never on the transport's. Any
 * thread may call it.
 */
final class SeedQueries {
  /** Addresses whose last answer is remembered, and whose failures are counted. */
  private static final int MAX_REMEMBERED = 256;

  /** Usual while a mesh starts, and for addresses that only others can reach: logged at debug. */
  private static final Set<Reason> NOBODY_THERE =
      Set.of(
          Reason.PEER_UNREACHABLE,
          Reason.TIMED_OUT,
          Reason.NO_ROUTE,
          Reason.CLOSED,
          Reason.INTERRUPTED);

  /** The first failure of a kind may come from a peer that is still starting. */
  private static final int LOUD_FROM = 2;

  private static final int MAX_CAUSES = 8;

  private record Trouble(InetSocketAddress address, Reason reason) {}

  private final Function<InetSocketAddress, CompletableFuture<byte[]>> query;
  private final Function<byte[], Optional<String>> ids;
  private final Scheduler scheduler;
  private final Logger log;
  private final Map<InetSocketAddress, CompletableFuture<byte[]>> underway = new HashMap<>();
  private final Map<InetSocketAddress, String> answers = new LinkedHashMap<>();
  private final Map<Trouble, Integer> troubles = new LinkedHashMap<>();
  private boolean closed;

  /**
   * @param ids reads the node's id in a handle; empty if it cannot be read
   */
  SeedQueries(
      Function<InetSocketAddress, CompletableFuture<byte[]>> ask,
      Function<byte[], Optional<String>> ids,
      Scheduler scheduler,
      Logger log) {
    this.query = ask;
    this.ids = ids;
    this.scheduler = scheduler;
    this.log = log;
  }

  /** Cables have changed: queries from now on do not join one from before. */
  synchronized void restart() {
    underway.clear();
  }

  /**
   * Sends a query, or joins the one in flight. Never blocks.
   *
   * @return the handle; fails with a {@link TransportException}
   */
  CompletableFuture<byte[]> query(InetSocketAddress address) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(closed(address));
      }
      CompletableFuture<byte[]> before = underway.putIfAbsent(address, answer);
      if (before != null) {
        return before;
      }
    }
    begin(address)
        .whenComplete(
            (handle, failure) ->
                scheduler.after(
                    0,
                    () -> {
                      synchronized (this) {
                        underway.remove(address, answer);
                      }
                      if (failure == null) {
                        answered(address, handle);
                        answer.complete(handle);
                      } else {
                        TransportException why = cause(address, failure);
                        failed(address, why);
                        answer.completeExceptionally(why);
                      }
                    }));
    return answer;
  }

  /** A query that cannot be sent has failed like any other: its callers must not wait for ever. */
  private CompletableFuture<byte[]> begin(InetSocketAddress address) {
    try {
      return query.apply(address);
    } catch (Throwable e) {
      // Including OutOfMemoryError: otherwise this address would not be queried again.
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The addresses that last answered with a handle of this node. */
  synchronized List<InetSocketAddress> answeredBy(Node node) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    answers.forEach(
        (address, id) -> {
          if (node.id().equals(id)) {
            addresses.add(address);
          }
        });
    return addresses;
  }

  /** The first address that last answered with a handle of the node with this id. */
  synchronized Optional<InetSocketAddress> addressOf(String id) {
    return answers.entrySet().stream()
        .filter(answer -> answer.getValue().equals(id))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Whether that address last answered with a handle of the node with this id. */
  synchronized boolean isAnswer(InetSocketAddress address, String id) {
    return id.equals(answers.get(address));
  }

  /** Sends no more queries; those in flight fail with CLOSED. */
  void close() {
    Map<InetSocketAddress, CompletableFuture<byte[]>> open;
    synchronized (this) {
      closed = true;
      open = new HashMap<>(underway);
      underway.clear();
    }
    open.forEach((address, answer) -> answer.completeExceptionally(closed(address)));
  }

  /** Whether that is the usual failure where no node is; any other failure is news. */
  static boolean isNoAnswer(TransportException failure) {
    return NOBODY_THERE.contains(failure.reason());
  }

  /** Whether the host at an address is up and refuses connections to that port. */
  static boolean isRefusal(TransportException failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof ConnectException
          && String.valueOf(cause.getMessage()).contains("refused")) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Why a query failed. */
  static TransportException cause(Object address, Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof TransportException known
        ? known
        : new TransportException(
            Reason.DEVICE, "the query of " + address + " failed: " + cause, cause);
  }

  private synchronized void answered(InetSocketAddress address, byte[] handle) {
    answers.remove(address);
    ids.apply(handle).ifPresent(id -> answers.put(address, id));
    trim(answers);
    troubles.keySet().removeIf(trouble -> trouble.address().equals(address));
  }

  private void failed(InetSocketAddress address, TransportException why) {
    int times;
    synchronized (this) {
      times = troubles.merge(new Trouble(address, why.reason()), 1, Integer::sum);
      trim(troubles);
    }
    if (isNoAnswer(why)) {
      if (times == 1) {
        log.debug("{}: no answer yet: {}", text(address), why.summary());
      }
    } else if (times == LOUD_FROM) {
      log.warn(
          "{} does not answer with a handle: {} It is queried again.",
          text(address),
          why.summary());
    }
  }

  private static void trim(Map<?, ?> eldestFirst) {
    if (eldestFirst.size() > MAX_REMEMBERED) {
      eldestFirst.remove(eldestFirst.keySet().iterator().next());
    }
  }

  private static TransportException closed(InetSocketAddress address) {
    return new TransportException(
        Reason.CLOSED, "discovery was closed before the answer of " + text(address));
  }

  /** {@code 10.77.1.2:4791}, without the slash and the look-up. */
  static String text(InetSocketAddress address) {
    String host =
        address.getAddress() == null
            ? address.getHostString()
            : address.getAddress().getHostAddress();
    return host.contains(":")
        ? "[" + host + "]:" + address.getPort()
        : host + ":" + address.getPort();
  }
}
