// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jgroups.logging.Log;

/**
 * Turns addresses on cables into nodes. Each seed is asked until the node behind it has introduced
 * itself, or is this node itself, and again when that node is forgotten: at once, then after
 * {@value #FIRST_DELAY_MS} ms and ever more slowly down to every {@value #LAST_DELAY_MS} ms.
 * Addresses that others name (TCPPING's initial hosts) are asked as they come. Whoever answers and
 * is not known yet is handed to {@code found}, which is to connect and introduce itself; the
 * directory then learns of the node by its own introduction.
 *
 * <p>Any thread may call it; nothing here blocks. Call-backs come on the timer's threads.
 */
final class Seeds implements AutoCloseable {
  static final long FIRST_DELAY_MS = 200;
  static final long LAST_DELAY_MS = 2_000;

  /**
   * So many questions follow each other at the first delay once cables have changed: a peer sees
   * its end of a cable up to a second later than this node, and answers at none before.
   */
  static final int QUICK_TURNS = 10;

  /** From the answer to the introduction: some handshakes over a cable between busy hosts. */
  static final long INTRODUCTION_MS = 15_000;

  /** All seeds are asked anew, for nodes found by hearsay, no more often. */
  private static final long ASK_ALL_MS = 5_000;

  /** After so long without any other node the log says what was tried. */
  static final long SILENCE_MS = 10_000;

  private static final class Round {
    final Seed seed;
    long delayMs = FIRST_DELAY_MS;
    int quickTurns;
    boolean running = true;
    boolean isTried;
    List<InetSocketAddress> addresses = List.of();
    InetSocketAddress answeredAt;
    byte[] answer;
    boolean isSilent = true;
    boolean isRefused;

    /** Stands for the time of its next question. */
    Object turn;

    String trouble = "not asked yet";

    Round(Seed seed) {
      this.seed = seed;
    }
  }

  private final Directory directory;
  private final BiConsumer<InetSocketAddress, byte[]> found;
  private final SeedQueries questions;
  private final Scheduler later;
  private final Log log;
  private final List<Round> rounds = new ArrayList<>();
  private final Map<String, List<CompletableFuture<Node>>> awaited = new HashMap<>();
  private final InitialDiscovery firstLook = new InitialDiscovery();
  private boolean askedAllLately;
  private volatile boolean closed;

  /**
   * @param ask {@code Transport.lookup}: who has its handshake port at this address
   * @param found told the address and the handle of whoever answers and is unknown; never blocks,
   *     and may be told the same again until the directory knows that node
   */
  Seeds(
      Directory directory,
      Function<InetSocketAddress, CompletableFuture<byte[]>> ask,
      BiConsumer<InetSocketAddress, byte[]> found,
      Scheduler later,
      Log log) {
    this.directory = directory;
    this.found = found;
    this.questions = new SeedQueries(ask, directory::idOf, later, log);
    this.later = later;
    this.log = log;
    directory.onConfirmation(this::introduced);
    directory.onDeparture(this::departed);
  }

  /** Begins to ask all of these at once. */
  void start(List<Seed> seeds) {
    List<Round> begun = seeds.stream().map(Round::new).toList();
    firstLook.begin(begun.size());
    synchronized (this) {
      rounds.addAll(begun);
    }
    begun.forEach(round -> askAfter(round, 0));
    if (!begun.isEmpty()) {
      later.after(SILENCE_MS, this::reportSilence);
    }
  }

  /** Cables or addresses of this host have changed: asks all that are unanswered at once. */
  void again() {
    questions.renew();
    List<Round> open;
    synchronized (this) {
      open = rounds.stream().filter(round -> round.running && !known(round)).toList();
      for (Round round : open) {
        round.delayMs = FIRST_DELAY_MS;
        round.quickTurns = QUICK_TURNS;
      }
    }
    open.forEach(round -> askAfter(round, 0));
  }

  /**
   * Whether all seeds have been tried and nobody is there: at each address the host says that
   * nobody is at that port, or this node itself answers. False without seeds.
   */
  synchronized boolean isNobodyThere() {
    return !rounds.isEmpty()
        && rounds.stream().allMatch(round -> round.isTried && (round.isRefused || isSelf(round)));
  }

  private boolean isSelf(Round round) {
    return round.answer != null
        && directory.idOf(round.answer).filter(directory.self().id()::equals).isPresent();
  }

  /** Whether one of the seeds has answered that is not this node: it is worth waiting for. */
  synchronized boolean isAnswered() {
    return rounds.stream().anyMatch(round -> round.answer != null && !isSelf(round));
  }

  /** Seeds behind which no node is known so far. */
  synchronized int unanswered() {
    return (int) rounds.stream().filter(round -> round.running && !known(round)).count();
  }

  /** The address at which the node with that id was found, if it was found at one. */
  Optional<InetAddress> addressOf(String id) {
    return questions.addressOf(id).map(InetSocketAddress::getAddress);
  }

  /** The first look at all of them. */
  InitialDiscovery firstLook() {
    return firstLook;
  }

  /**
   * Whether an address of a seed last answered with a handle of that node. As long as such a node
   * is dialled in vain, its seed is asked for whoever is there next: see {@link #stale}.
   */
  synchronized boolean isSeeds(String id) {
    return rounds.stream()
        .flatMap(round -> round.addresses.stream())
        .anyMatch(address -> questions.isAnswer(address, id));
  }

  /**
   * The node at an address on a cable: asks who is there and waits until it has introduced itself.
   * Never blocks.
   *
   * @return the node, this node itself included; fails with a {@link TransportException}: as the
   *     question fails, or TIMED_OUT if who answered does not become known within {@value
   *     #INTRODUCTION_MS} ms, or CLOSED
   */
  CompletableFuture<Node> find(InetSocketAddress address) {
    return questions.ask(address).thenCompose(handle -> introduction(address, handle));
  }

  /**
   * The handle of this node is not valid any more, or nobody is there: whoever started anew at one
   * of its addresses has another. Asks the addresses at which it was found, or all seeds if it was
   * found by hearsay. To be called for each connection that failed; the caller paces them.
   */
  void stale(Node node) {
    List<InetSocketAddress> addresses = questions.answeredBy(node);
    for (InetSocketAddress address : addresses) {
      questions.ask(address).thenAccept(handle -> answered(address, handle));
    }
    if (addresses.isEmpty()) {
      askAllAgain();
    }
  }

  /** Asks nothing more; what {@link #find} promised fails with CLOSED. Safe to call twice. */
  @Override
  public void close() {
    closed = true;
    firstLook.end();
    questions.close();
    List<CompletableFuture<Node>> open;
    synchronized (this) {
      open = awaited.values().stream().flatMap(List::stream).toList();
      awaited.clear();
    }
    open.forEach(
        node ->
            node.completeExceptionally(
                new TransportException(Reason.CLOSED, "nobody waits for the node any more")));
  }

  private void ask(Round round) {
    synchronized (this) {
      if (closed || settled(round)) {
        return;
      }
    }
    List<InetSocketAddress> addresses;
    try {
      addresses = round.seed.addresses();
    } catch (UnknownHostException e) {
      unknownHost(round);
      tried(round);
      askLater(round);
      return;
    }
    synchronized (this) {
      round.addresses = List.copyOf(addresses);
      round.isRefused = !addresses.isEmpty();
    }
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      asked.add(
          questions
              .ask(address)
              .handle(
                  (handle, failure) -> {
                    note(round, address, handle, failure);
                    return null;
                  }));
    }
    CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .whenComplete((done, failure) -> asked(round, failure));
  }

  /** Notes what came of a question: the answer that makes a seed settled, or why there is none. */
  private void note(Round round, InetSocketAddress address, byte[] handle, Throwable failure) {
    synchronized (this) {
      if (handle != null) {
        round.isRefused = false;
        round.answer = handle;
        round.answeredAt = address;
        round.trouble = "answered, but did not introduce itself";
      } else {
        TransportException why = SeedQueries.cause(address, failure);
        round.isSilent = SeedQueries.isSilence(why);
        round.isRefused &= SeedQueries.isRefusal(why);
        round.trouble = why.summary();
      }
    }
    if (handle != null) {
      answered(address, handle);
    }
  }

  private void asked(Round round, Throwable failure) {
    try {
      if (failure != null) {
        log.error(
            "The seed %s answered, and taking in the answer failed: %s. It is asked again.",
            round.seed, SeedQueries.cause(round.seed, failure).toString());
      }
    } finally {
      try {
        tried(round);
      } finally {
        // Whatever happens: else this seed would not be asked again.
        askLater(round);
      }
    }
  }

  /** A seed that has answered is tried when its node has introduced itself, or failed to. */
  private void tried(Round round) {
    byte[] answer;
    synchronized (this) {
      if (round.isTried) {
        return;
      }
      round.isTried = true;
      answer = round.answer;
    }
    if (answer == null || closed) {
      firstLook.tried(false);
      return;
    }
    awaitIntroduction(round.answeredAt, answer)
        .whenComplete(
            (node, failure) ->
                firstLook.tried(
                    node != null && !node.overlay().equals(directory.self().overlay())));
  }

  private void askLater(Round round) {
    long delayMs;
    synchronized (this) {
      if (closed || settled(round)) {
        return;
      }
      delayMs = round.delayMs;
      if (round.quickTurns > 0) {
        round.quickTurns--;
      } else {
        round.delayMs = Math.min(LAST_DELAY_MS, 2 * delayMs);
      }
    }
    askAfter(round, delayMs);
  }

  /** The next question; whichever was to come before it is not put. */
  private void askAfter(Round round, long delayMs) {
    Object turn = new Object();
    synchronized (this) {
      round.turn = turn;
    }
    later.after(
        delayMs,
        () -> {
          synchronized (this) {
            if (round.turn != turn) {
              return;
            }
          }
          askOrAskLater(round);
        });
  }

  private void askOrAskLater(Round round) {
    boolean isAsked = false;
    try {
      ask(round);
      isAsked = true;
    } finally {
      if (!isAsked) {
        askLater(round);
      }
    }
  }

  /** A node is known no more: whoever is at its seed now is to be found. */
  private void departed(Node node) {
    List<Round> again;
    synchronized (this) {
      again =
          rounds.stream()
              .filter(round -> !round.running && round.answer != null)
              .filter(round -> directory.idOf(round.answer).filter(node.id()::equals).isPresent())
              .toList();
      again.forEach(this::reopen);
    }
    again.forEach(round -> askAfter(round, FIRST_DELAY_MS));
  }

  private void reopen(Round round) {
    round.running = true;
    round.answer = null;
    round.delayMs = FIRST_DELAY_MS;
  }

  /** Whether the node behind it is known, which ends the round. */
  private boolean settled(Round round) {
    if (known(round)) {
      round.running = false;
    }
    return !round.running;
  }

  private boolean known(Round round) {
    return round.answer != null && directory.metWithHandle(round.answer).isPresent();
  }

  private void askAllAgain() {
    List<Round> again;
    synchronized (this) {
      if (askedAllLately || closed) {
        return;
      }
      askedAllLately = true;
      again = rounds.stream().filter(round -> !round.running).toList();
      again.forEach(this::reopen);
    }
    again.forEach(round -> askAfter(round, 0));
    later.after(ASK_ALL_MS, this::allowAskingAll);
  }

  private synchronized void allowAskingAll() {
    askedAllLately = false;
  }

  private void answered(InetSocketAddress address, byte[] handle) {
    if (!closed && directory.metWithHandle(handle).isEmpty()) {
      found.accept(address, handle);
    }
  }

  private CompletableFuture<Node> introduction(InetSocketAddress address, byte[] handle) {
    CompletableFuture<Node> node = awaitIntroduction(address, handle);
    answered(address, handle);
    return node;
  }

  private CompletableFuture<Node> awaitIntroduction(InetSocketAddress address, byte[] handle) {
    Optional<Node> known = directory.metWithHandle(handle);
    if (known.isPresent()) {
      return CompletableFuture.completedFuture(known.get());
    }
    String key = directory.idOf(handle).orElse("");
    CompletableFuture<Node> node = new CompletableFuture<>();
    synchronized (this) {
      awaited.computeIfAbsent(key, missing -> new ArrayList<>()).add(node);
    }
    later.after(INTRODUCTION_MS, () -> giveUp(address, key, node));
    // Looked up again now that it is awaited: an introduction in between is not lost.
    directory.metWithHandle(handle).ifPresent(this::introduced);
    if (closed) {
      close();
    }
    return node;
  }

  private void introduced(Node node) {
    List<CompletableFuture<Node>> waiting;
    synchronized (this) {
      waiting = awaited.remove(node.id());
    }
    if (waiting != null) {
      waiting.forEach(promise -> promise.complete(node));
    }
  }

  private void giveUp(InetSocketAddress address, String key, CompletableFuture<Node> node) {
    synchronized (this) {
      awaited.computeIfPresent(
          key, (same, waiting) -> waiting.remove(node) && waiting.isEmpty() ? null : waiting);
    }
    node.completeExceptionally(
        new TransportException(
            Reason.TIMED_OUT,
            SeedQueries.text(address)
                + " answered, but did not introduce itself within "
                + INTRODUCTION_MS
                + " ms. Either no cable leads there directly, or it is no member of a group."));
  }

  private void unknownHost(Round round) {
    String trouble = "no address is known for that name";
    boolean news;
    synchronized (this) {
      news = !round.trouble.equals(trouble);
      round.trouble = trouble;
    }
    if (news) {
      log.warn("The seed %s cannot be asked: %s. It is looked up again.", round.seed, trouble);
    }
  }

  private void reportSilence() {
    String tried;
    synchronized (this) {
      boolean hasAnswer = rounds.stream().anyMatch(round -> !round.isSilent);
      if (closed || hasAnswer || !directory.all().isEmpty()) {
        // Of an answer that does not help the log has its own line.
        return;
      }
      tried =
          rounds.stream()
              .filter(round -> round.running)
              .map(round -> round.seed + " (" + round.trouble + ")")
              .collect(Collectors.joining(", "));
    }
    if (!tried.isEmpty()) {
      log.warn(
          "%s: no other node has answered within %d s; still asking %s",
          directory.self(), SILENCE_MS / 1_000, tried);
    }
  }
}
