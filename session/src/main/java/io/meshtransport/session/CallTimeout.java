// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.Durations;
import io.meshtransport.time.WaitTimes;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The failures of calls to one peer whose time is over: where the request is, and what to do about
 * it. For the calls of one moment; one thread may call it.
 */
final class CallTimeout implements Function<Call, TransportException> {
  private final String peer;
  private final PeerLife life;
  private final Supplier<String> whySilent;

  /** Null until it is needed: it is the same for all calls of the moment. */
  private String silence;

  /**
   * @param whySilent sentences about a peer that does not answer, empty if nothing is known
   */
  CallTimeout(String peer, PeerLife life, Supplier<String> whySilent) {
    this.peer = peer;
    this.life = life;
    this.whySilent = whySilent;
  }

  @Override
  public TransportException apply(Call late) {
    return new TransportException(
        Reason.TIMED_OUT,
        late.link == null
            ? "the request to %s has not left: %s".formatted(peer, whyNotLeft(late))
            : "%s has not answered the request in time, over a connection that is not known to be lost.%s Allow more time for it, or have its handler answer sooner: while that blocks, no reply leaves%s"
                .formatted(peer, heard(late.link.connection, late.timeout), silence(". ")));
  }

  private String whyNotLeft(Call late) {
    String before = "the time given (%s) was over before ".formatted(late.timeout);
    Optional<TransportException> failure = life.failure();
    return switch (life.state()) {
      case DOWN -> before + "there was a connection. " + lastAttempt(failure);
      case CONNECTING ->
          before
              + "there was a connection. One is being opened: allow more time"
              + failure.map(why -> ". The one before failed with " + why.summary()).orElse("")
              + silence(separator(failure));
      case OPEN ->
          before
              + "it could leave, and there is a connection."
              + life.connection().map(open -> heard(open, late.timeout)).orElse("")
              + " Allow more time: what was queued before leaves first, as fast as the handlers there return"
              + silence(". ");
      case CLOSED -> "the session with it is closed. Open another one";
    };
  }

  /** NO_ROUTE says already what is known of a peer without a handle. */
  private String lastAttempt(Optional<TransportException> failure) {
    return failure
        .map(
            why ->
                "The last one was lost, or could not be opened: "
                    + why.summary()
                    + (why.reason() == Reason.NO_ROUTE ? "" : silence(separator(failure))))
        .orElse("None was tried yet: allow more time");
  }

  /**
   * What the connection knows of the peer: a sentence with a space before it, or empty.
   *
   * @param timeout of the call
   */
  private static String heard(Connection connection, Duration timeout) {
    long silenceNs = connection.peerSilenceNs();
    if (silenceNs == Channel.SILENCE_UNKNOWN) {
      return "";
    }
    String text = Durations.text(silenceNs);
    return silenceNs < WaitTimes.nanos(timeout)
        ? " Something came from %s %s ago.".formatted(connection.peer(), text)
        : " Nothing has come from %s for %s, as where its program is stopped or busy, or a cable is down."
            .formatted(connection.peer(), text);
  }

  private static String separator(Optional<TransportException> failure) {
    return failure.filter(why -> why.summary().endsWith(".")).isPresent() ? " " : ". ";
  }

  private String silence(String separator) {
    if (silence == null) {
      silence = whySilent.get();
    }
    return silence.isEmpty() ? "" : separator + silence;
  }
}
