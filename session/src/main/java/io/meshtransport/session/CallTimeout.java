// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
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
    String text =
        late.link == null
            ? "the request to %s has not left: the time given (%s) was over before %s"
                .formatted(peer, late.timeout, notLeft())
            : "%s has not answered the request in time, over a connection that is not known to be lost. Allow more time for it, or have its handler answer sooner: while that blocks, no reply leaves%s"
                .formatted(peer, silence(". "));
    return new TransportException(Reason.TIMED_OUT, text);
  }

  private String notLeft() {
    String failure = life.failure().map(TransportException::summary).orElse("");
    return switch (life.state()) {
      case DOWN ->
          failure.isEmpty()
              ? "there was a connection. None was tried yet: allow more time"
              : "there was a connection. The last one was lost, or could not be opened: " + failure;
      case CONNECTING ->
          "there was a connection. One is being opened: allow more time"
              + (failure.isEmpty() ? "" : ". The one before failed with " + failure)
              + silence(failure.endsWith(".") ? " " : ". ");
      case OPEN ->
          "it could leave, and there is a connection. Allow more time: what was queued before leaves first, as fast as the handlers there return"
              + silence(". ");
      case CLOSED -> "the session with it was closed. Open another one";
    };
  }

  private String silence(String separator) {
    if (silence == null) {
      silence = whySilent.get();
    }
    return silence.isEmpty() ? "" : separator + silence;
  }
}
