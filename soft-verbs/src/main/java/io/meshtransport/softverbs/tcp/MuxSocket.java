// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/**
 * The socket of a {@link MuxConnection}: what it waits for in the selector, and the options that
 * follow its traffic. Guarded by the device's lock.
 */
final class MuxSocket {
  /**
   * What the kernel's own choice of up to 4 MiB contains has left the processor's caches before it
   * is read again, and a short message waits behind all of it. This is enough for 40 Gb/s over a
   * cable with a round trip of 50 us. The kernel takes less where net.core.wmem_max says so, and
   * counts twice as much, for what it needs besides (man 7 socket, SO_SNDBUF).
   */
  private static final int SEND_BUFFER_BYTES = 256 << 10;

  private static final long DELAY_ACKS_AGAIN_NS = 10_000_000L;

  private final TcpNetwork network;
  private final SocketChannel channel;
  private final boolean canDelayAcks;
  private SelectionKey key;

  /** The send buffer that the kernel was last given. */
  private int sendBufferBytes;

  /** Whether the kernel takes nothing more just now. */
  private boolean isBlocked;

  private long acksDelayedNs;

  MuxSocket(TcpNetwork network, SocketChannel channel) {
    this.network = network;
    this.channel = channel;
    this.canDelayAcks = channel.supportedOptions().contains(ExtendedSocketOptions.TCP_QUICKACK);
    this.acksDelayedNs = network.nowNs() - 2 * DELAY_ACKS_AGAIN_NS;
  }

  void register(SelectionHandler handler) throws IOException {
    key = network.driven().register(channel, SelectionKey.OP_READ, handler);
  }

  SocketChannel channel() {
    return channel;
  }

  boolean isReadable() {
    return key.isReadable();
  }

  boolean isWritable() {
    return key.isWritable();
  }

  /** Adapts the send buffer, in steps of two and rarely: it is a call of the kernel. */
  void limitSendBuffer(int aheadBytes) throws IOException {
    int wanted = Math.min(SEND_BUFFER_BYTES, aheadBytes);
    if (wanted < sendBufferBytes || wanted >= 2 * sendBufferBytes) {
      sendBufferBytes = Integer.highestOneBit(wanted);
      channel.setOption(StandardSocketOptions.SO_SNDBUF, sendBufferBytes);
    }
  }

  /** Whether the selector reports from now on that the kernel takes more. */
  void awaitWritable(boolean isAwaited) {
    int before = key.interestOps();
    int after = isAwaited ? before | SelectionKey.OP_WRITE : before & ~SelectionKey.OP_WRITE;
    if (before != after) {
      key.interestOps(after);
      isBlocked = isAwaited;
      network.blocked(isAwaited);
      network.driver().wakeSleeper();
    }
  }

  /**
   * Has the kernel not acknowledge each read with a segment of its own, which costs about as much
   * as a message: what goes back soon carries the acknowledgement. The kernel drops this setting
   * whenever nothing has gone back for 40 ms (man 7 tcp, TCP_QUICKACK).
   */
  void delayAcks(long nowNs) throws IOException {
    if (canDelayAcks && nowNs - acksDelayedNs > DELAY_ACKS_AGAIN_NS) {
      acksDelayedNs = nowNs;
      channel.setOption(ExtendedSocketOptions.TCP_QUICKACK, false);
    }
  }

  void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  void close() {
    if (isBlocked) {
      isBlocked = false;
      network.blocked(false);
    }
    network.closeQuietly(channel);
  }
}
