package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Connects to a device that accepts: from the own GID's address to its wire port, again and again
 * with growing pauses for as long as wires seek their peers there. Guarded by the device's lock.
 */
final class TcpDial implements Driver.Ready {
  private static final long FIRST_PAUSE_NS = 1_000_000L;

  /** The longest pause: a peer that comes up is met within half of the default patience. */
  private static final long LONGEST_PAUSE_NS = 200_000_000L;

  /** One attempt; the kernel repeats its SYN after 1 s and 3 s (RFC 6298). */
  private static final long ATTEMPT_NS = 2_000_000_000L;

  private final TcpNetwork network;
  private final TcpPeer peer;
  private final TrunkEnds ends;

  /** That is being connected, or null. */
  private SocketChannel channel;

  private WireEnds dialledFor;
  private long pauseNs = FIRST_PAUSE_NS;

  /** When the pause ends, or the attempt is given up. */
  private long dueNs;

  private boolean isPausing;

  TcpDial(TcpNetwork network, TcpPeer peer, TrunkEnds ends) {
    this.network = network;
    this.peer = peer;
    this.ends = ends;
  }

  /** Dials, unless it is at it. */
  void start() {
    if (channel == null && !isPausing) {
      attempt();
    } else {
      network.armTimer(dueNs);
    }
  }

  /** A wire has met its peer: the next time there is no reason to wait. */
  void succeeded() {
    pauseNs = FIRST_PAUSE_NS;
  }

  /** Dials again after a while. */
  void pause() {
    giveUp();
    isPausing = true;
    dueNs = network.nowNs() + pauseNs;
    pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
    network.armTimer(dueNs);
  }

  /** Dials no more. */
  void giveUp() {
    isPausing = false;
    network.closeQuietly(channel);
    channel = null;
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at
   */
  long onTimer(long nowNs) {
    if (channel == null && !isPausing || dueNs - nowNs <= 0) {
      attempt();
    }
    return dueNs;
  }

  private void attempt() {
    giveUp();
    dialledFor = peer.nextToDialFor();
    dueNs = network.nowNs() + ATTEMPT_NS;
    network.armTimer(dueNs);
    try {
      channel = SocketChannel.open();
      channel.bind(new InetSocketAddress(ends.localGid().toAddress(), 0));
      network.driver().register(channel, SelectionKey.OP_CONNECT, this);
      if (channel.connect(new InetSocketAddress(ends.remoteGid().toAddress(), ends.remotePort()))) {
        connected();
      }
    } catch (IOException e) {
      pause();
    }
  }

  @Override
  public void ready(SelectionKey key) {
    try {
      if (channel != null && channel.finishConnect()) {
        connected();
      }
    } catch (IOException e) {
      pause();
    }
  }

  @Override
  public void broke(Throwable failure) {
    pause();
  }

  private void connected() throws IOException {
    ByteBuffer preamble = Preamble.encode(dialledFor);
    channel.write(preamble);
    if (preamble.hasRemaining()) {
      throw new IOException("a new connection does not take " + Preamble.LENGTH_BYTES + " bytes");
    }
    SocketChannel connected = channel;
    channel = null;
    peer.begin(connected);
  }
}
