// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Connects over one cable, and once more where that may help. Used once, by one thread, which may
 * be at others meanwhile.
 */
final class CableAttempts implements ExtraCables.UnderWay {
  private static final Logger LOG = LogManager.getLogger(CableAttempts.class);

  /** Of one attempt: in a program that has just begun, on a busy host, the first may hang. */
  private static final long CONNECT_NS = 2_000_000_000L;

  /** A cable that does not answer is done without. */
  private static final int ATTEMPTS = 2;

  /** Begins to connect over the cable. */
  interface Attempt {
    ChannelFuture<Connection> begin() throws TransportException;
  }

  private final String group;
  private final Attempt attempt;
  private final Predicate<Connection> isWanted;
  private final Deadline deadline;

  /** The attempt that is under way, or was the last; null before the first. */
  private ChannelFuture<Connection> begun;

  private int attempts;
  private long leftNs;
  private Optional<Connection> made = Optional.empty();

  /**
   * @param group for people
   * @param isWanted false for a connection over a cable that has one: the other answered late
   * @param deadline of joining, where it comes before the attempt's
   */
  CableAttempts(String group, Attempt attempt, Predicate<Connection> isWanted, Deadline deadline) {
    this.group = group;
    this.attempt = attempt;
    this.isWanted = isWanted;
    this.deadline = deadline;
  }

  @Override
  public boolean advance(long passedNs) throws TransportException {
    leftNs -= passedNs;
    boolean isOver = false;
    if (begun == null) {
      begin();
    }
    while (!isOver && (begun.isDone() || leftNs <= 0 || deadline.leftNs() <= 0)) {
      isOver = end();
      if (!isOver) {
        begin();
      }
    }
    return isOver;
  }

  private void begin() throws TransportException {
    begun = attempt.begin();
    attempts++;
    leftNs = CONNECT_NS;
  }

  /**
   * Ends an attempt, which the transport gives up if it is still under way, and says what it was
   * at.
   *
   * @return whether it was the last
   */
  private boolean end() {
    boolean isFinal = attempts == ATTEMPTS;
    String why;
    try {
      Connection connection = begun.await(Duration.ZERO);
      if (isWanted.test(connection)) {
        made = Optional.of(connection);
        return true;
      }
      why = "its peer answered sooner over another, " + connection.route();
      // Now: the peer must not take it for the one that is made in its place.
      connection.close();
    } catch (TransportException e) {
      why = e.getMessage();
      isFinal |= e.reason() != TransportException.Reason.TIMED_OUT;
    }
    LOG.atLevel(isFinal ? Level.WARN : Level.INFO)
        .log("{}: a cable is {}: {}", group, isFinal ? "left out" : "tried again", why);
    return isFinal;
  }

  /** Once it is over; empty for a cable that cannot be used. */
  Optional<Connection> made() {
    return made;
  }

  @Override
  public void giveUp() {
    if (begun != null) {
      begun.close();
    }
  }
}
