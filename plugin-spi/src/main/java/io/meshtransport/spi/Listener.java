// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;

/**
 * Accepts channels that peers open. Created by {@link Transport#listen}; closed by its creator. Any
 * thread may call it.
 */
public interface Listener extends AutoCloseable {
  /**
   * What a peer needs to connect, with the current addresses of this node. A handle made earlier
   * stays valid for those of its addresses that the node still has. Opaque bytes, at most 512, and
   * at most 128 with up to four IPv4 NICs. Carry them by any means; they contain no secret.
   *
   * <p>With MESH_COMPAT=nccl-mesh the first 128 bytes are the handle for C plugins, and up to 384
   * bytes for nodes of this library follow; such a node needs all of them.
   */
  byte[] handle();

  /**
   * Accepts the next channel that a peer opens. Several accepts may be pending; they get their
   * channels in the order of these calls. Never blocks, and never times out by itself.
   *
   * @return fails with CLOSED if the listener is closed, before or meanwhile
   */
  ChannelFuture<ReceiveChannel> accept();

  /**
   * {@link #accept()}, waiting until it is done. After the time-out the accept is withdrawn and no
   * channel is lost.
   *
   * @param timeout as {@link ChannelFuture#await} has it
   * @return the caller's to close
   * @throws TransportException TIMED_OUT, INTERRUPTED or CLOSED; a retry helps after the first two
   */
  default ReceiveChannel accept(Duration timeout) throws TransportException {
    return accept().await(timeout);
  }

  /**
   * Accepts the next connection that a peer opens. Several accepts may be pending; they get their
   * connections in the order of these calls. Never blocks, and never times out by itself. The
   * future is done on a thread of the transport, which its dependents must not block. Cancelling it
   * withdraws the accept, and no connection is lost.
   *
   * <p>Up to 1,024 connections wait to be accepted; further peers are refused, NO_RESOURCES, and a
   * retry helps them. One whose peer has gone meanwhile may still be returned, FAILED.
   *
   * @return fails with a {@link TransportException} with the reason CLOSED if the listener is
   *     closed, before or meanwhile; the connection is the caller's to close
   */
  ChannelFuture<Connection> acceptConnection();

  /**
   * {@link #acceptConnection()}, waiting until it is done. After the time-out the accept is
   * withdrawn and no connection is lost.
   *
   * @param timeout as {@link ChannelFuture#await} has it
   * @return the caller's to close
   * @throws TransportException TIMED_OUT, INTERRUPTED or CLOSED; a retry helps after the first two
   */
  default Connection acceptConnection(Duration timeout) throws TransportException {
    return acceptConnection().await(timeout);
  }

  /**
   * Stops listening. Channels already accepted go on; channels not accepted yet are closed, which
   * their peers see as PEER_CLOSED; pending accepts fail with CLOSED. Safe to call twice.
   */
  @Override
  void close();
}
