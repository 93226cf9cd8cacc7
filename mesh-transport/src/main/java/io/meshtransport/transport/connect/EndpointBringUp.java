// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.BringUp;
import io.meshtransport.handshake.ConnectionNonce;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.time.Durations;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Brings the connecting end of an endpoint up. READY waits for its data connection, where it has
 * one: a channel that is READY must be able to carry data. Called on handshake threads.
 */
final class EndpointBringUp implements BringUp {
  /** Of the time that is left: the rest is for telling the peer why. */
  private static final double SHARE = 0.75;

  private final EndpointFactory endpoints;
  private final MeshEndpoint endpoint;
  private final ConnectOptions options;
  private final EndpointHandshake.Permit permit;
  private final long untilNs;

  /** Whether the peer's answer is possible; who makes the channel says what is wrong. */
  private boolean isPossible;

  /**
   * @param options have the priority of the queue pair
   * @param permit asked before the endpoint is brought up
   * @param untilNs when the set-up is given up
   */
  EndpointBringUp(
      EndpointFactory endpoints,
      MeshEndpoint endpoint,
      ConnectOptions options,
      EndpointHandshake.Permit permit,
      long untilNs) {
    this.endpoints = endpoints;
    this.endpoint = endpoint;
    this.options = options;
    this.permit = permit;
    this.untilNs = untilNs;
  }

  @Override
  public void connected() {
    permit.connected();
  }

  @Override
  public void bringUp(ConnectionNonce nonce, QueuePairAddress theirs) throws RefusedException {
    permit.require();
    isPossible =
        ChannelParameters.read(theirs.parameters())
            .filter(answer -> answer.requests() <= endpoint.depths().requests())
            .isPresent();
    try {
      endpoints.connect(endpoint, theirs, options);
    } catch (VerbsException | IllegalArgumentException e) {
      throw new RefusedException("the connecting side cannot bring up its queue pair", e);
    }
  }

  @Override
  public CompletionStage<Void> whenUp() {
    CompletableFuture<Void> connected = endpoint.connected().toCompletableFuture();
    if (!isPossible || connected.isDone() && !connected.isCompletedExceptionally()) {
      return CompletableFuture.<Void>completedFuture(null).thenRun(this::confirm);
    }
    long waitNs = Math.max(1, (long) (SHARE * (untilNs - System.nanoTime())));
    return connected
        .copy()
        .orTimeout(waitNs, TimeUnit.NANOSECONDS)
        .exceptionally(
            failure -> {
              throw new CompletionException(refusal(failure, waitNs));
            })
        .thenRun(this::confirm);
  }

  private void confirm() {
    try {
      permit.confirm();
    } catch (RefusedException e) {
      throw new CompletionException(e);
    }
  }

  private RefusedException refusal(Throwable failure, long waitNs) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof TimeoutException
        ? RefusedException.unreachable(
            "no data connection of this queue pair within "
                + Durations.text(waitNs)
                + ": "
                + endpoint.connectionText())
        : new RefusedException(
            "the connecting side's queue pair ended: " + cause.getMessage(), cause);
  }
}
