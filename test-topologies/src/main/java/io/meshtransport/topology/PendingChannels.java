// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Channels on their way to READY, all or none: close() cancels those that no caller has acquired.
 */
final class PendingChannels implements AutoCloseable {
  private final Map<String, ChannelFuture<SendChannel>> connecting = new TreeMap<>();
  private final List<ChannelFuture<ReceiveChannel>> accepting = new ArrayList<>();
  private final List<Channel> acquired = new ArrayList<>();

  void connecting(String peer, ChannelFuture<SendChannel> opening) {
    connecting.put(peer, opening);
  }

  void accepting(ChannelFuture<ReceiveChannel> opening) {
    accepting.add(opening);
  }

  /** The channels out, by peer. */
  Map<String, SendChannel> awaitConnected(Duration timeout) throws TransportException {
    Map<String, SendChannel> channels = new TreeMap<>();
    for (Map.Entry<String, ChannelFuture<SendChannel>> peer : connecting.entrySet()) {
      channels.put(peer.getKey(), await(peer.getValue(), timeout));
    }
    return channels;
  }

  /** The channels in. */
  List<ReceiveChannel> awaitAccepted(Duration timeout) throws TransportException {
    List<ReceiveChannel> channels = new ArrayList<>();
    for (ChannelFuture<ReceiveChannel> opening : accepting) {
      channels.add(await(opening, timeout));
    }
    return channels;
  }

  private <C extends Channel> C await(ChannelFuture<C> opening, Duration timeout)
      throws TransportException {
    C channel = opening.await(timeout);
    acquired.add(channel);
    return channel;
  }

  /** All channels are somebody else's from now on. */
  void release() {
    acquired.clear();
  }

  @Override
  public void close() {
    connecting.values().forEach(ChannelFuture::close);
    accepting.forEach(ChannelFuture::close);
    acquired.forEach(Channel::close);
  }
}
