// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LookupRequest;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelFailures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Asks peers for their handles, and says what went wrong as the SPI does. Holds nothing. */
public final class HandleLookup {
  private HandleLookup() {}

  /** Fails with a {@link TransportException} alone; cancelling it gives up the question. */
  public static CompletableFuture<byte[]> ask(Handshaker handshaker, LookupRequest question) {
    CompletableFuture<byte[]> underWay = handshaker.lookup(question);
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    underWay.whenComplete(
        (handle, failure) -> {
          if (failure == null) {
            answer.complete(handle);
          } else {
            answer.completeExceptionally(failed(question, failure));
          }
        });
    answer.whenComplete((handle, failure) -> underWay.cancel(false));
    return answer;
  }

  private static TransportException failed(LookupRequest question, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof HandshakeException why) {
      // A ConnectException, which programs test, says that the peer's host has refused.
      return new TransportException(reasonOf(why.reason()), why.getMessage(), why.getCause());
    }
    return new TransportException(
        Reason.DEVICE, "asking " + question + " failed unexpectedly: " + cause, cause);
  }

  /** As for a connect, but garbage is a PROTOCOL failure: the peer has not said yet who it is. */
  private static Reason reasonOf(HandshakeException.Reason reason) {
    return switch (reason) {
      case GARBAGE, LEGACY -> Reason.PROTOCOL;
      default -> ChannelFailures.reasonOf(reason);
    };
  }
}
