package io.meshtransport.softverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.QueuePairState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The side of a TCP network that is dialled. A wire begins when its peer has greeted, was answered
 * and has greeted again ({@link Preamble}): a first greeting alone may be left from before the peer
 * was reset, and nothing in it tells so. Several connections may be answered for one wire; the one
 * whose dialler is still there to confirm gets it, the others are closed. A connection that nobody
 * here expects is closed, counted, and affects nobody else. Guarded by the device's lock.
 */
final class TcpAcceptor implements Greeting.Host {
  private static final Logger LOG = LogManager.getLogger(TcpAcceptor.class);

  /** How long an accepted connection may take to say what it wants, to be expected and confirm. */
  private static final long GREETING_NS = 5_000_000_000L;

  /** Connections that have not become a wire; beyond it the oldest goes. */
  private static final int MAX_GREETINGS = 256;

  private final TcpNetwork network;
  private final ServerSocketChannel listener;

  /** By the own queue pair's number. */
  private final Map<Integer, TcpWire> awaiting = new HashMap<>();

  /** All that have not become a wire, oldest first. */
  private final List<Greeting> greetings = new ArrayList<>();

  /** Those of them that were answered, and for which wire. */
  private final Map<Greeting, TcpWire> answered = new HashMap<>();

  private long refusedConnections;

  TcpAcceptor(TcpNetwork network) throws IOException {
    this.network = network;
    this.listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(0));
  }

  void start() throws IOException {
    network.driver().register(listener, SelectionKey.OP_ACCEPT, key -> accept());
  }

  int port() {
    try {
      return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Connections that were closed because nobody here expected them. */
  long refusedConnections() {
    return refusedConnections;
  }

  /** Connections whose queue pair is still in INIT. */
  long earlyConnections() {
    return greetings.stream().filter(Greeting::isComplete).count();
  }

  /** The wire begins as soon as its peer has dialled; it may have by now. */
  void await(TcpWire wire) {
    awaiting.put(wire.ends().localQueuePair(), wire);
    List.copyOf(greetings).stream().filter(Greeting::isComplete).forEach(this::greeted);
  }

  /** The wire ends before it was up; its peer may have confirmed by now and take it for up. */
  void forget(TcpWire wire, ByteBuffer lastWords) {
    awaiting.remove(wire.ends().localQueuePair(), wire);
    for (Greeting greeting : answeredFor(wire)) {
      try {
        greeting.channel().write(lastWords.duplicate());
      } catch (IOException e) {
        LOG.debug("nobody is left to be told that {} ends", wire.ends(), e);
      }
      refuse(greeting, "its queue pair has ended meanwhile");
    }
  }

  private void accept() {
    try {
      SocketChannel channel = listener.accept();
      if (channel != null) {
        Greeting greeting = new Greeting(channel, this, network.nowNs() + GREETING_NS);
        greetings.add(greeting);
        network.driver().register(channel, SelectionKey.OP_READ, greeting);
        network.armTimer(greeting.deadlineNs());
        dropOldest();
      }
    } catch (IOException e) {
      // Typically EMFILE: the connection stays queued in the kernel until a descriptor is free.
      refusedConnections++;
    }
  }

  @Override
  public void greeted(Greeting greeting) {
    TcpWire promised = answered.get(greeting);
    WireEnds ends = greeting.ends();
    TcpWire wire = awaiting.get(ends.localQueuePair());
    boolean isWanted =
        wire != null && wire.ends().equals(ends) && isFromPeer(greeting.channel(), ends);
    if (promised != null && promised == wire && isWanted) {
      begin(greeting, wire);
    } else if (promised == null && isWanted) {
      answer(greeting, wire);
    } else if (promised != null || !isInInit(ends.localQueuePair())) {
      refuse(greeting, "no queue pair here expects it");
    }
  }

  private void answer(Greeting greeting, TcpWire wire) {
    ByteBuffer answer = Preamble.encode(wire.ends());
    try {
      greeting.channel().write(answer);
      if (answer.hasRemaining()) {
        throw new IOException("a new connection does not take " + Preamble.LENGTH_BYTES + " bytes");
      }
      answered.put(greeting, wire);
      greeting.expectAgain();
      network.driver().register(greeting.channel(), SelectionKey.OP_READ, greeting);
    } catch (IOException e) {
      refuse(greeting, e.getMessage());
    }
  }

  private void begin(Greeting greeting, TcpWire wire) {
    release(greeting);
    awaiting.remove(wire.ends().localQueuePair());
    answeredFor(wire).forEach(other -> refuse(other, "its peer has another connection"));
    network.begin(wire, greeting.channel());
  }

  /** Its owner has the peer's endpoint already, and will soon know ours. */
  private boolean isInInit(int queuePair) {
    return network
        .device()
        .engine(queuePair)
        .map(engine -> engine.state() == QueuePairState.INIT)
        .orElse(false);
  }

  private static boolean isFromPeer(SocketChannel channel, WireEnds ends) {
    try {
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
      return Gid.of(local.getAddress()).equals(ends.localGid())
          && Gid.of(remote.getAddress()).equals(ends.remoteGid());
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void failed(Greeting greeting, String why) {
    refuse(greeting, why);
  }

  private void refuse(Greeting greeting, String why) {
    refusedConnections++;
    release(greeting);
    network.closeQuietly(greeting.channel());
    LOG.debug("connection refused: {}", why);
  }

  private List<Greeting> answeredFor(TcpWire wire) {
    return greetings.stream().filter(greeting -> answered.get(greeting) == wire).toList();
  }

  private void release(Greeting greeting) {
    greetings.remove(greeting);
    answered.remove(greeting);
  }

  private void dropOldest() {
    if (greetings.size() > MAX_GREETINGS) {
      refuse(greetings.get(0), "too many connections wait for their queue pair");
    }
  }

  /**
   * Closes what is overdue.
   *
   * @return the clock reading to be called again at, or {@link SoftDevice#NEVER}
   */
  long onTimer(long nowNs) {
    long nextNs = SoftDevice.NEVER;
    // Backwards, since one that is refused leaves the list.
    for (int i = greetings.size() - 1; i >= 0; i--) {
      Greeting greeting = greetings.get(i);
      if (greeting.deadlineNs() - nowNs <= 0) {
        refuse(greeting, "it was silent for too long");
      } else {
        nextNs = Math.min(nextNs, greeting.deadlineNs());
      }
    }
    return nextNs;
  }

  void close() {
    List.copyOf(greetings).forEach(greeting -> network.closeQuietly(greeting.channel()));
    network.closeQuietly(listener);
  }
}
