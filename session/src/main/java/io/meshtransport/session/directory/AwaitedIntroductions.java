// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Nodes that answered at an address and have not introduced themselves yet. Any thread may call it;
 * nothing here blocks.
 */
final class AwaitedIntroductions implements AutoCloseable {
  private final Directory directory;
  private final Scheduler scheduler;
  private final Map<String, List<CompletableFuture<Node>>> awaited = new HashMap<>();
  private volatile boolean isClosed;

  AwaitedIntroductions(Directory directory, Scheduler scheduler) {
    this.directory = directory;
    this.scheduler = scheduler;
    directory.onConfirmation(this::confirmed);
  }

  /**
   * The node that answered with this handle, once it has introduced itself.
   *
   * @return fails with TIMED_OUT after {@value Seeds#INTRODUCTION_MS} ms, or with CLOSED
   */
  CompletableFuture<Node> await(InetSocketAddress address, byte[] handle) {
    Optional<Node> known = directory.introducedWithHandle(handle);
    if (known.isPresent()) {
      return CompletableFuture.completedFuture(known.get());
    }
    String id = directory.idOf(handle).orElse("");
    CompletableFuture<Node> node = new CompletableFuture<>();
    synchronized (this) {
      awaited.computeIfAbsent(id, missing -> new ArrayList<>()).add(node);
    }
    scheduler.after(Seeds.INTRODUCTION_MS, () -> timeOut(address, id, node));
    // Looked up again after it was added: an introduction in between is not lost.
    directory.introducedWithHandle(handle).ifPresent(this::confirmed);
    if (isClosed) {
      close();
    }
    return node;
  }

  private void confirmed(Node node) {
    List<CompletableFuture<Node>> waiting;
    synchronized (this) {
      waiting = awaited.remove(node.id());
    }
    if (waiting != null) {
      waiting.forEach(promise -> promise.complete(node));
    }
  }

  private void timeOut(InetSocketAddress address, String id, CompletableFuture<Node> node) {
    synchronized (this) {
      awaited.computeIfPresent(
          id, (same, waiting) -> waiting.remove(node) && waiting.isEmpty() ? null : waiting);
    }
    node.completeExceptionally(
        new TransportException(
            Reason.TIMED_OUT,
            SeedQueries.text(address)
                + " answered, but did not introduce itself within "
                + Seeds.INTRODUCTION_MS
                + " ms. Either no cable leads there directly, or it is no member of a group."));
  }

  /** Everything awaited, now or later, fails with CLOSED. Safe to call twice. */
  @Override
  public void close() {
    isClosed = true;
    List<CompletableFuture<Node>> open;
    synchronized (this) {
      open = awaited.values().stream().flatMap(List::stream).toList();
      awaited.clear();
    }
    open.forEach(
        node ->
            node.completeExceptionally(
                new TransportException(Reason.CLOSED, "discovery was closed")));
  }
}
