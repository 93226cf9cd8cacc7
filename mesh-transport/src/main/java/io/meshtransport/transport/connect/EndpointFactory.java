// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.PeerQueuePair;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WireKey;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * Opens and connects the endpoints of one transport on our own wire: what the handshake carries of
 * ours is made here, and what it brings of the peer's is read here. Any thread may call it.
 */
public final class EndpointFactory {
  private static final int PSN_BITS = 24;

  private final String node;
  private final QueuePairSettings settings;
  private final WireKeys wireKeys;
  private final SecureRandom random;

  /**
   * @param node name of this node, for its peers
   * @param wireKeys makes the keys that data connections in software are proved with
   */
  public EndpointFactory(
      String node, QueuePairSettings settings, WireKeys wireKeys, SecureRandom random) {
    this.node = node;
    this.settings = settings;
    this.wireKeys = wireKeys;
    this.random = random;
  }

  /** An endpoint that is not connected yet, with a random first packet sequence number. */
  public MeshEndpoint open(OpenNic nic, GidEntry gid, QueueDepths depths) throws VerbsException {
    return MeshEndpoint.open(nic, gid, depths, random.nextInt(1 << PSN_BITS));
  }

  /** What the peer must know of the endpoint of a one-way channel. */
  public QueuePairAddress address(MeshEndpoint endpoint, int listenerId, Optional<RailId> rail) {
    return address(endpoint, listenerId, rail, Optional.empty(), Transport.MAX_REQUESTS);
  }

  /**
   * What the peer must know of an endpoint.
   *
   * @param hello the first bytes of a connection, and that it is one
   * @param requests of a connection, outstanding at once
   */
  QueuePairAddress address(
      MeshEndpoint endpoint,
      int listenerId,
      Optional<RailId> rail,
      Optional<ByteBuffer> hello,
      int requests) {
    return new QueuePairAddress(
        endpoint.number(),
        endpoint.psn(),
        endpoint.gid().gid(),
        endpoint.mtuBytes(settings),
        endpoint.nic().device().wirePort(),
        new ChannelParameters(
                listenerId,
                endpoint.nic().maxMessageBytes(),
                endpoint.nic().readsServed(),
                rail,
                endpoint.token(),
                node,
                hello,
                requests)
            .encode());
  }

  /**
   * Connects the endpoint of a one-way channel to the peer's.
   *
   * @throws IllegalArgumentException if what the peer says makes no attributes of a queue pair
   */
  public void connect(MeshEndpoint endpoint, QueuePairAddress peer) throws VerbsException {
    connect(endpoint, peer, ConnectOptions.DEFAULT);
  }

  /**
   * Connects an endpoint to the peer's.
   *
   * @param options have the priority of the queue pair
   * @throws IllegalArgumentException if what the peer says makes no attributes of a queue pair
   */
  void connect(MeshEndpoint endpoint, QueuePairAddress peer, ConnectOptions options)
      throws VerbsException {
    endpoint.connect(queuePair(endpoint, peer), settings.with(options));
  }

  private PeerQueuePair queuePair(MeshEndpoint endpoint, QueuePairAddress peer) {
    return new PeerQueuePair(
        peer.qpNumber(),
        peer.psn(),
        peer.gid(),
        peer.mtuBytes(),
        peer.dataPort(),
        ChannelParameters.reads(peer.parameters()),
        ChannelParameters.token(peer.parameters())
            .map(theirs -> wireKeys.of(endpoint.token(), theirs))
            .orElse(WireKey.NONE));
  }
}
