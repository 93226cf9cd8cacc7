// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.spi.TransportException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * How far the queries of one seed have come towards the node behind it. Confined to the lock of
 * {@link Seeds}.
 */
final class SeedStatus {
  /**
   * Whether the seed is queried.
   *
   * <pre>
   * RESOLVING -> RESOLVED -> RESOLVING ...
   * </pre>
   */
  private enum State {
    /** It is queried again and again. */
    RESOLVING,
    /** The node behind it has introduced itself, and is still known. */
    RESOLVED
  }

  private final Seed seed;
  private State state = State.RESOLVING;
  private long delayMs = Seeds.FIRST_DELAY_MS;
  private int quickQueries;
  private boolean isTried;
  private List<InetSocketAddress> addresses = List.of();
  private InetSocketAddress answeredAt;
  private byte[] answer;
  private boolean isSilent = true;
  private boolean isRefused;

  /** Identifies the next scheduled query: a later one replaces it. */
  private Object scheduled;

  private String problem = "not queried yet";

  SeedStatus(Seed seed) {
    this.seed = seed;
  }

  Seed seed() {
    return seed;
  }

  boolean isResolving() {
    return state == State.RESOLVING;
  }

  void resolved() {
    state = State.RESOLVED;
  }

  /** The node behind it is known no more: it is queried anew. */
  void reopen() {
    state = State.RESOLVING;
    answer = null;
    delayMs = Seeds.FIRST_DELAY_MS;
  }

  /** Cables have changed: the next queries follow each other quickly. */
  void hurry() {
    delayMs = Seeds.FIRST_DELAY_MS;
    quickQueries = Seeds.QUICK_QUERIES;
  }

  /** The pause before the next query; the one after that is longer. */
  long nextDelayMs() {
    long pauseMs = delayMs;
    if (quickQueries > 0) {
      quickQueries--;
    } else {
      delayMs = Math.min(Seeds.LAST_DELAY_MS, 2 * pauseMs);
    }
    return pauseMs;
  }

  /** Another query is scheduled, in place of the former. */
  void scheduled(Object query) {
    scheduled = query;
  }

  boolean isScheduled(Object query) {
    return scheduled == query;
  }

  /** A query of these addresses begins. */
  void querying(List<InetSocketAddress> resolved) {
    addresses = List.copyOf(resolved);
    isRefused = !resolved.isEmpty();
  }

  List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** An address has answered with a handle. */
  void answered(InetSocketAddress address, byte[] handle) {
    isRefused = false;
    answer = handle;
    answeredAt = address;
    problem = "answered, but did not introduce itself";
  }

  /** A query of one address has failed. */
  void failed(TransportException why) {
    isSilent = SeedQueries.isNoAnswer(why);
    isRefused &= SeedQueries.isRefusal(why);
    problem = why.summary();
  }

  /**
   * No address is known for the host's name.
   *
   * @return whether that is news
   */
  boolean unknownHost(String text) {
    boolean isNews = !problem.equals(text);
    problem = text;
    return isNews;
  }

  /** The first query is over: whether this is the first time that it is. */
  boolean firstTried() {
    boolean isFirst = !isTried;
    isTried = true;
    return isFirst;
  }

  boolean isTried() {
    return isTried;
  }

  /** The handle that an address answered with, if one did. */
  Optional<byte[]> answer() {
    return Optional.ofNullable(answer);
  }

  /** The address of {@link #answer}. */
  InetSocketAddress answeredAt() {
    return answeredAt;
  }

  /** Whether the last failure, if any, is what is met where no node is. */
  boolean isSilent() {
    return isSilent;
  }

  /** Whether the host at each address has refused the connection. */
  boolean isRefused() {
    return isRefused;
  }

  /** The seed and what came of its last query, for the log. */
  @Override
  public String toString() {
    return seed + " (" + problem + ")";
  }
}
