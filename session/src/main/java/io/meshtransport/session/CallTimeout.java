// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
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
            : "%s has not answered the request in time, over a connection that is not known to be lost. Allow more time for it, or have its handler answer sooner: while that blocks, no reply leaves%s"
                .formatted(peer, silence(". ")));
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
              + "it could leave, and there is a connection. Allow more time: what was queued before leaves first, as fast as the handlers there return"
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
