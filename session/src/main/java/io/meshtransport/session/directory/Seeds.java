// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Logger;

/**
 * Resolves addresses on cables to nodes. Each seed is queried until the node behind it has
 * introduced itself, or is this node itself, and again when that node was removed: at once, then
 * after {@value #FIRST_DELAY_MS} ms and at growing pauses up to {@value #LAST_DELAY_MS} ms.
 * Addresses that others name (TCPPING's initial hosts) are queried as they come. A node that
 * answers and is not known yet is handed to {@code found}, which connects and introduces this node;
 * the other then introduces itself to the directory.
 *
 * <p>Any thread may call it; nothing here blocks. Callbacks run on the timer's threads.
 */
public final class Seeds implements AutoCloseable {
  static final long FIRST_DELAY_MS = 200;
  static final long LAST_DELAY_MS = 2_000;

  /**
   * How many queries follow each other at the first delay once cables have changed: a peer sees its
   * end of a cable up to a second later than this node, and answers at none before.
   */
  static final int QUICK_QUERIES = 10;

  /** From the answer to the introduction: some handshakes over a cable between busy hosts. */
  static final long INTRODUCTION_MS = 15_000;

  /** All seeds are queried anew, for nodes found by gossip, no more often. */
  private static final long QUERY_ALL_MS = 5_000;

  /** After so long without any other node the log says what was tried. */
  static final long SILENCE_MS = 10_000;

  private final Directory directory;
  private final BiConsumer<InetSocketAddress, byte[]> found;
  private final SeedQueries queries;
  private final AwaitedIntroductions introductions;
  private final Scheduler scheduler;
  private final Logger log;
  private final List<SeedStatus> seeds = new ArrayList<>();
  private final InitialDiscovery initialDiscovery = new InitialDiscovery();
  private boolean queriedAllLately;
  private volatile boolean closed;

  /**
   * @param query {@code Transport.lookup}: which node has its handshake port at this address
   * @param found gets the address and the handle of a node that answers and is unknown; never
   *     blocks, and may get the same again until the directory knows that node
   */
  public Seeds(
      Directory directory,
      Function<InetSocketAddress, CompletableFuture<byte[]>> query,
      BiConsumer<InetSocketAddress, byte[]> found,
      Scheduler scheduler,
      Logger log) {
    this.directory = directory;
    this.found = found;
    this.scheduler = scheduler;
    this.log = log;
    queries = new SeedQueries(query, directory::idOf, scheduler, log);
    introductions = new AwaitedIntroductions(directory, scheduler);
    directory.onRemoval(this::removed);
  }

  /** Begins to query all of these at once. */
  public void start(List<Seed> given) {
    List<SeedStatus> begun = given.stream().map(SeedStatus::new).toList();
    initialDiscovery.begin(begun.size());
    synchronized (this) {
      seeds.addAll(begun);
    }
    begun.forEach(seed -> queryAfter(seed, 0));
    if (!begun.isEmpty()) {
      scheduler.after(SILENCE_MS, this::reportSilence);
    }
  }

  /** Cables or addresses of this host have changed: queries all unresolved seeds at once. */
  public void retryNow() {
    queries.restart();
    List<SeedStatus> open;
    synchronized (this) {
      open = seeds.stream().filter(seed -> seed.isResolving() && !isKnown(seed)).toList();
      open.forEach(SeedStatus::hurry);
    }
    open.forEach(seed -> queryAfter(seed, 0));
  }

  /**
   * Whether all seeds have been tried and none has another node: each address refuses connections
   * to that port, or this node itself answers. False without seeds.
   */
  public synchronized boolean areAllRefused() {
    return !seeds.isEmpty()
        && seeds.stream().allMatch(seed -> seed.isTried() && (seed.isRefused() || isSelf(seed)));
  }

  private boolean isSelf(SeedStatus seed) {
    return seed.answer().flatMap(directory::idOf).filter(directory.self().id()::equals).isPresent();
  }

  /** Whether one of the seeds has answered that is not this node: it is worth waiting for. */
  public synchronized boolean hasAnswer() {
    return seeds.stream().anyMatch(seed -> seed.answer().isPresent() && !isSelf(seed));
  }

  /** Seeds behind which no node is known so far. */
  synchronized int unanswered() {
    return (int) seeds.stream().filter(seed -> seed.isResolving() && !isKnown(seed)).count();
  }

  /** The address at which the node with that id was found, if it was found at one. */
  public Optional<InetAddress> addressOf(String id) {
    return queries.addressOf(id).map(InetSocketAddress::getAddress);
  }

  /** The first query of all seeds. */
  public InitialDiscovery initialDiscovery() {
    return initialDiscovery;
  }

  /**
   * Whether an address of a seed last answered with a handle of that node. As long as dials of such
   * a node fail, its seed is queried for the node that is there next: see {@link #rediscover}.
   */
  public synchronized boolean isSeedNode(String id) {
    return seeds.stream()
        .flatMap(seed -> seed.addresses().stream())
        .anyMatch(address -> queries.isAnswer(address, id));
  }

  /**
   * The node at an address on a cable: queries the address and waits until the node there has
   * introduced itself. Never blocks.
   *
   * @return the node, this node itself included; fails with a {@link TransportException}: as the
   *     query fails, or TIMED_OUT if the node that answered does not become known within {@value
   *     #INTRODUCTION_MS} ms, or CLOSED
   */
  CompletableFuture<Node> find(InetSocketAddress address) {
    return queries
        .query(address)
        .thenCompose(
            handle -> {
              CompletableFuture<Node> node = introductions.await(address, handle);
              answered(address, handle);
              return node;
            });
  }

  /**
   * The handle of this node is not valid any more, or its port is closed: a node that has restarted
   * at one of its addresses has another handle. Queries the addresses at which the node was found,
   * or all seeds if it was found by gossip. Called for each connection that failed; the caller
   * paces the calls.
   */
  public void rediscover(Node node) {
    List<InetSocketAddress> addresses = queries.answeredBy(node);
    for (InetSocketAddress address : addresses) {
      queries.query(address).thenAccept(handle -> answered(address, handle));
    }
    if (addresses.isEmpty()) {
      queryAllAgain();
    }
  }

  /** Sends no more queries; what {@link #find} promised fails with CLOSED. Safe to call twice. */
  @Override
  public void close() {
    closed = true;
    initialDiscovery.end();
    queries.close();
    introductions.close();
  }

  private void query(SeedStatus seed) {
    synchronized (this) {
      if (closed || isResolved(seed)) {
        return;
      }
    }
    List<InetSocketAddress> addresses;
    try {
      addresses = seed.seed().addresses();
    } catch (UnknownHostException e) {
      unknownHost(seed);
      tried(seed);
      queryLater(seed);
      return;
    }
    synchronized (this) {
      seed.querying(addresses);
    }
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      sent.add(
          queries
              .query(address)
              .handle(
                  (handle, failure) -> {
                    note(seed, address, handle, failure);
                    return null;
                  }));
    }
    CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
        .whenComplete((done, failure) -> queried(seed, failure));
  }

  /** Notes the outcome of a query: the answer that may resolve a seed, or why there is none. */
  private void note(SeedStatus seed, InetSocketAddress address, byte[] handle, Throwable failure) {
    synchronized (this) {
      if (handle != null) {
        seed.answered(address, handle);
      } else {
        seed.failed(SeedQueries.cause(address, failure));
      }
    }
    if (handle != null) {
      answered(address, handle);
    }
  }

  private void queried(SeedStatus seed, Throwable failure) {
    try {
      if (failure != null) {
        log.error(
            "The seed {} answered, and processing the answer failed: {}. It is queried again.",
            seed.seed(),
            SeedQueries.cause(seed.seed(), failure).toString());
      }
    } finally {
      try {
        tried(seed);
      } finally {
        // In every case: otherwise this seed would not be queried again.
        queryLater(seed);
      }
    }
  }

  /** A seed that has answered is tried when its node has introduced itself, or failed to. */
  private void tried(SeedStatus seed) {
    Optional<byte[]> answer;
    synchronized (this) {
      if (!seed.firstTried()) {
        return;
      }
      answer = seed.answer();
    }
    if (answer.isEmpty() || closed) {
      initialDiscovery.tried(false);
      return;
    }
    introductions
        .await(seed.answeredAt(), answer.get())
        .whenComplete(
            (node, failure) ->
                initialDiscovery.tried(
                    node != null && !node.name().equals(directory.self().name())));
  }

  private void queryLater(SeedStatus seed) {
    long delayMs;
    synchronized (this) {
      if (closed || isResolved(seed)) {
        return;
      }
      delayMs = seed.nextDelayMs();
    }
    queryAfter(seed, delayMs);
  }

  /** Schedules the next query, in place of the one scheduled before. */
  private void queryAfter(SeedStatus seed, long delayMs) {
    Object scheduled = new Object();
    synchronized (this) {
      seed.scheduled(scheduled);
    }
    scheduler.after(
        delayMs,
        () -> {
          synchronized (this) {
            if (!seed.isScheduled(scheduled)) {
              return;
            }
          }
          queryOrQueryLater(seed);
        });
  }

  private void queryOrQueryLater(SeedStatus seed) {
    boolean isSent = false;
    try {
      query(seed);
      isSent = true;
    } finally {
      if (!isSent) {
        queryLater(seed);
      }
    }
  }

  /** A node was removed: another one may be at its seed now. */
  private void removed(Node node) {
    List<SeedStatus> again;
    synchronized (this) {
      again =
          seeds.stream()
              .filter(seed -> !seed.isResolving())
              .filter(
                  seed ->
                      seed.answer().flatMap(directory::idOf).filter(node.id()::equals).isPresent())
              .toList();
      again.forEach(SeedStatus::reopen);
    }
    again.forEach(seed -> queryAfter(seed, FIRST_DELAY_MS));
  }

  /** Whether the node behind a seed is known, which resolves the seed. */
  private boolean isResolved(SeedStatus seed) {
    if (isKnown(seed)) {
      seed.resolved();
    }
    return !seed.isResolving();
  }

  private boolean isKnown(SeedStatus seed) {
    return seed.answer().flatMap(directory::introducedWithHandle).isPresent();
  }

  private void queryAllAgain() {
    List<SeedStatus> again;
    synchronized (this) {
      if (queriedAllLately || closed) {
        return;
      }
      queriedAllLately = true;
      again = seeds.stream().filter(seed -> !seed.isResolving()).toList();
      again.forEach(SeedStatus::reopen);
    }
    again.forEach(seed -> queryAfter(seed, 0));
    scheduler.after(QUERY_ALL_MS, this::allowQueryOfAll);
  }

  private synchronized void allowQueryOfAll() {
    queriedAllLately = false;
  }

  private void answered(InetSocketAddress address, byte[] handle) {
    if (!closed && directory.introducedWithHandle(handle).isEmpty()) {
      found.accept(address, handle);
    }
  }

  private void unknownHost(SeedStatus seed) {
    String problem = "no address is known for that name";
    boolean isNews;
    synchronized (this) {
      isNews = seed.unknownHost(problem);
    }
    if (isNews) {
      log.warn("The seed {} cannot be queried: {}. It is resolved again.", seed.seed(), problem);
    }
  }

  private void reportSilence() {
    String tried;
    synchronized (this) {
      boolean hasFailure = seeds.stream().anyMatch(seed -> !seed.isSilent());
      if (closed || hasFailure || !directory.all().isEmpty()) {
        // A failure other than silence has a line of its own in the log.
        return;
      }
      tried =
          seeds.stream()
              .filter(SeedStatus::isResolving)
              .map(SeedStatus::toString)
              .collect(Collectors.joining(", "));
    }
    if (!tried.isEmpty()) {
      log.warn(
          "{}: no other node has answered within {} s; still querying {}",
          directory.self(),
          SILENCE_MS / 1_000,
          tried);
    }
  }
}
