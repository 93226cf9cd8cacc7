// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;

/**
 * Where peers connect to. Created by {@link Transport#listen}; closed by whoever made it. Any
 * thread may call it.
 */
public interface Listener extends AutoCloseable {
  /**
   * What a peer needs to connect, with the addresses of now: a handle made earlier stays good for
   * those addresses that remain. Opaque bytes, at most 512, and at most 128 with up to four IPv4
   * NICs. Carry them by any means; they hold no secret.
   *
   * <p>With MESH_COMPAT=nccl-mesh there are more: the first 128 bytes are what a C plugin connects
   * to, and all of them what a node of this library does, for which up to 384 follow.
   */
  byte[] handle();

  /**
   * Asks for the next channel that a peer opens. Several may be asked for; each gets one channel,
   * in the order of asking. Never blocks and never times out by itself.
   */
  ChannelFuture<ReceiveChannel> accept();

  /**
   * {@link #accept()}, waiting for the end; after the time-out the asking is withdrawn and nothing
   * is lost.
   */
  default ReceiveChannel accept(Duration timeout) throws TransportException {
    return accept().await(timeout);
  }

  /**
   * Stops listening. Channels already accepted live on; those that nobody accepted are closed,
   * which their peers see as PEER_CLOSED; openings outstanding fail with CLOSED. Safe to call
   * twice.
   */
  @Override
  void close();
}
