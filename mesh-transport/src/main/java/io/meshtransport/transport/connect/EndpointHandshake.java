// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.ConnectRequest;
import io.meshtransport.handshake.Established;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Rollback;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.route.Candidate;
import io.meshtransport.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The handshake of one endpoint with a peer, over one candidate.
 *
 * @param endpoint the endpoint; the caller that began the handshake closes it if that fails
 * @param outcome of the handshake
 */
record EndpointHandshake(MeshEndpoint endpoint, CompletableFuture<Established> outcome) {
  /**
   * What the endpoint is for.
   *
   * @param rail if it is a rail of a channel of several
   * @param options of a connection, if it is one and not a one-way channel
   */
  record Purpose(Optional<RailId> rail, Optional<ConnectOptions> options) {
    /** A rail of a one-way channel of several. */
    static Purpose rail(RailId rail) {
      return new Purpose(Optional.of(rail), Optional.empty());
    }

    /** A further rail of a connection, which has agreed on the requests of these options. */
    static Purpose rail(RailId rail, ConnectOptions options) {
      return new Purpose(Optional.of(rail), Optional.of(options.hello(new byte[0])));
    }

    private QueueDepths duplex(int requests) {
      return rail.map(one -> QueueDepths.duplexRail(requests, one.connectorNics(), one.nics()))
          .orElseGet(() -> QueueDepths.duplex(requests));
    }

    private Optional<ByteBuffer> hello() {
      return options.map(wanted -> ByteBuffer.wrap(wanted.hello()));
    }

    private QueueDepths depths(OpenNic nic) {
      return options.isPresent()
          ? duplex(requests(options.get().requests(), nic))
          : rail.map(one -> QueueDepths.sender(one.most(), one.nics())).orElse(QueueDepths.SENDER);
    }
  }

  /** How many requests of a connection there can be at once on a NIC, at most those wanted. */
  static int requests(int wanted, OpenNic nic) {
    return QueueDepths.requestsFor(wanted, nic.maxQueueDepth(), nic.maxCompletions());
  }

  /** Whether the handshake may go further than the peer's answer. */
  @FunctionalInterface
  interface Permit {
    /**
     * @throws RefusedException if it may not; the peer gets the reason
     */
    void require() throws RefusedException;

    /**
     * The endpoint is up, and the peer will be told. Must return at once, on any thread.
     *
     * @throws RefusedException if it may not go on after all; the peer gets the reason
     */
    default void confirm() throws RefusedException {
      // Of use where another candidate may have taken over meanwhile.
    }

    /** The peer's host has taken the connection. Must return at once. */
    default void connected() {
      // Of use where another candidate would be tried meanwhile.
    }
  }

  /**
   * Opens an endpoint and begins the handshake. On the set-up thread; the endpoint is brought up on
   * a handshake thread in between.
   *
   * @param untilNs when to give up
   * @param permit asked before the endpoint is brought up, on a handshake thread
   * @throws VerbsException if there is no endpoint; nothing is left open
   */
  static EndpointHandshake begin(
      ConnectContext context,
      Handshaker handshaker,
      PeerHandle peer,
      Candidate candidate,
      Purpose purpose,
      long untilNs,
      Permit permit)
      throws VerbsException {
    OpenNic nic = context.openNic(candidate.nic());
    try (Rollback undo = new Rollback()) {
      MeshEndpoint endpoint =
          undo.on(context.endpoints().open(nic, candidate.local().gid(), purpose.depths(nic)));
      ConnectRequest request =
          new ConnectRequest(
              candidate.local().socketAddress(),
              handshakeAddress(context, peer, candidate),
              peer.node(),
              context.routes().peer(peer.node()).name(),
              endpoint.nic().index(),
              candidate.remote().nicIndex(),
              context
                  .endpoints()
                  .address(
                      endpoint,
                      peer.listenerId(),
                      purpose.rail(),
                      purpose.hello(),
                      endpoint.depths().requests()),
              untilNs);
      CompletableFuture<Established> outcome =
          handshaker.connect(
              request,
              new EndpointBringUp(
                  context.endpoints(),
                  endpoint,
                  purpose.options().orElse(ConnectOptions.DEFAULT),
                  permit,
                  untilNs));
      undo.keepAll();
      return new EndpointHandshake(endpoint, outcome);
    }
  }

  private static InetSocketAddress handshakeAddress(
      ConnectContext context, PeerHandle peer, Candidate candidate) {
    InetSocketAddress own =
        new InetSocketAddress(candidate.remote().link().address(), peer.handshakePort());
    return RoutePlanner.isOverlay(candidate.nic())
        ? context.routes().door(peer.node()).orElse(own)
        : own;
  }
}
