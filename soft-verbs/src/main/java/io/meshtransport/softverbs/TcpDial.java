package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Connects a wire to a peer that accepts: from the queue pair's own address to the peer's wire
 * port, again and again with growing pauses, until the wire is up or given up. Guarded by the
 * device's lock.
 */
final class TcpDial implements Driver.Ready, Greeting.Host {
  private static final long FIRST_PAUSE_NS = 1_000_000L;

  /** The longest pause: a peer that comes up is met within half of the default patience. */
  private static final long LONGEST_PAUSE_NS = 200_000_000L;

  /** One attempt; the kernel repeats its SYN after 1 s and 3 s (RFC 6298). */
  private static final long ATTEMPT_NS = 2_000_000_000L;

  private final TcpNetwork network;
  private final TcpWire wire;
  private final WireEnds ends;
  private SocketChannel channel;
  private long pauseNs = FIRST_PAUSE_NS;

  /** When the pause ends, or the attempt is given up. */
  private long dueNs;

  TcpDial(TcpNetwork network, TcpWire wire, WireEnds ends) {
    this.network = network;
    this.wire = wire;
    this.ends = ends;
  }

  long dueNs() {
    return dueNs;
  }

  TcpWire wire() {
    return wire;
  }

  /** The pause or the attempt is over: tries again. */
  void attempt(long nowNs) {
    network.closeQuietly(channel);
    dueNs = nowNs + ATTEMPT_NS;
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
      if (channel.finishConnect()) {
        connected();
      }
    } catch (IOException e) {
      pause();
    }
  }

  private void connected() throws IOException {
    greet();
    network.driver().register(channel, SelectionKey.OP_READ, new Greeting(channel, this, dueNs));
  }

  private void greet() throws IOException {
    ByteBuffer preamble = Preamble.encode(ends);
    channel.write(preamble);
    if (preamble.hasRemaining()) {
      throw new IOException("a new connection does not take " + Preamble.LENGTH_BYTES + " bytes");
    }
  }

  @Override
  public void greeted(Greeting greeting) {
    if (greeting.channel() == channel && greeting.ends().equals(ends)) {
      confirm();
    } else {
      failed(greeting, "somebody else answered");
    }
  }

  /** Tells the peer that its answer was heard, and the connection is still wanted. */
  private void confirm() {
    try {
      greet();
      network.dialled(this, channel);
    } catch (IOException e) {
      pause();
    }
  }

  @Override
  public void failed(Greeting greeting, String why) {
    if (greeting.channel() == channel) {
      pause();
    }
  }

  private void pause() {
    network.closeQuietly(channel);
    dueNs = network.nowNs() + pauseNs;
    pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
    network.armTimer(dueNs);
  }

  void giveUp() {
    network.closeQuietly(channel);
  }
}
