// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Connects over one cable, and once more where that may help. Used once, by one thread, which
 * advances others in between.
 */
final class CableAttempts implements CableConnect {
  private static final Logger LOG = LogManager.getLogger(CableAttempts.class);

  /** Of one attempt: in a program that has just begun, on a busy host, the first may hang. */
  private static final long CONNECT_NS = 2_000_000_000L;

  /** A cable that does not answer is done without. */
  private static final int MAX_ATTEMPTS = 2;

  /** Begins to connect over the cable. */
  interface Attempt {
    ChannelFuture<Connection> begin() throws TransportException;
  }

  private final String cable;
  private final Attempt attempt;
  private final Predicate<Connection> isWanted;
  private final Deadline deadline;

  /** The attempt that is under way; null between two. */
  private ChannelFuture<Connection> begun;

  /** The last connection that is not wanted; done where there is none. */
  private CompletableFuture<Void> closing = CompletableFuture.completedFuture(null);

  /** Attempts that may begin yet. */
  private int attemptsLeft = MAX_ATTEMPTS;

  private long leftNs;
  private Optional<Connection> made = Optional.empty();

  /**
   * @param cable of which group, and between which ends, for people
   * @param isWanted false for a connection over a cable that has one: the other answered late
   * @param deadline of joining, where it comes before the attempt's
   */
  CableAttempts(String cable, Attempt attempt, Predicate<Connection> isWanted, Deadline deadline) {
    this.cable = cable;
    this.attempt = attempt;
    this.isWanted = isWanted;
    this.deadline = deadline;
  }

  @Override
  public boolean advance(long passedNs) throws TransportException {
    leftNs -= passedNs;
    while (true) {
      if (begun == null) {
        if (attemptsLeft == 0 && closing.isDone() || isTooLate()) {
          return true;
        }
        if (!closing.isDone()) {
          return false;
        }
        begin();
      }
      if (!begun.isDone() && leftNs > 0 && !isTooLate()) {
        return false;
      }
      end();
    }
  }

  /** Whether the deadline of joining has passed. */
  private boolean isTooLate() {
    return deadline.leftNs() <= 0;
  }

  private void begin() throws TransportException {
    begun = attempt.begin();
    attemptsLeft--;
    leftNs = CONNECT_NS;
  }

  /**
   * Ends an attempt, which the transport gives up if it is still under way, and says what it was
   * at.
   */
  private void end() {
    ChannelFuture<Connection> ended = begun;
    begun = null;
    String why;
    try {
      Connection connection = ended.await(Duration.ZERO);
      if (isWanted.test(connection)) {
        made = Optional.of(connection);
        attemptsLeft = 0;
        return;
      }
      why = "its peer answered sooner over another, " + connection.route();
      // Before the next begins: the peer must not take it for the one that is made in its place.
      closing = connection.closeAsync().toCompletableFuture();
    } catch (TransportException e) {
      why = e.getMessage();
      if (e.reason() != TransportException.Reason.TIMED_OUT) {
        attemptsLeft = 0;
      }
    }
    boolean isFinal = attemptsLeft == 0;
    LOG.atLevel(isFinal ? Level.WARN : Level.INFO)
        .log("{} is {}: {}", cable, isFinal ? "left out" : "tried again", why);
  }

  /** Once it is over; empty for a cable that cannot be used. */
  Optional<Connection> made() {
    return made;
  }

  @Override
  public void giveUp() {
    if (begun != null && !begun.cancel(false) && !begun.isCompletedExceptionally()) {
      // It has come meanwhile.
      begun.join().closeAsync();
    }
  }
}
