package io.meshtransport.softverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.QueuePairState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The side of a TCP network that is dialled. A connection becomes a trunk if it comes from a device
 * where a wire of ours seeks its peer ({@link Preamble}); it may wait for that while the queue pair
 * it names is in INIT. One that nobody here expects is closed, counted, and affects nobody else;
 * nor does one that is left from before its dialler was reset: wires that are up stay where they
 * are, and the others go by the one that came last. Guarded by the device's lock.
 */
final class TcpAcceptor implements Greeting.Host {
  private static final Logger LOG = LogManager.getLogger(TcpAcceptor.class);

  /** How long an accepted connection may take to say what it wants, and to be expected. */
  private static final long GREETING_NS = 5_000_000_000L;

  /** Connections that have not become a trunk; beyond it the oldest goes. */
  private static final int MAX_GREETINGS = 256;

  private final TcpNetwork network;
  private final ServerSocketChannel listener;

  /** All that have not become a trunk, oldest first. */
  private final List<Greeting> greetings = new ArrayList<>();

  private long refusedConnections;

  private final Driver.Ready listening =
      new Driver.Ready() {
        @Override
        public void ready(SelectionKey key) {
          accept();
        }

        @Override
        public void broke(Throwable failure) {
          // Whatever was accepted is its own greeting by now; the listener stays.
          refusedConnections++;
        }
      };

  TcpAcceptor(TcpNetwork network) throws IOException {
    this.network = network;
    this.listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(0));
  }

  void start() throws IOException {
    network.driver().register(listener, SelectionKey.OP_ACCEPT, listening);
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

  /** A wire seeks its peer: what was too early may be expected now. */
  void expectMore() {
    if (!greetings.isEmpty()) {
      List.copyOf(greetings).stream().filter(Greeting::isComplete).forEach(this::greeted);
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
    WireEnds ends = greeting.ends();
    TcpPeer peer = network.peer(TrunkEnds.of(ends));
    boolean isWanted = peer != null && peer.isAnySeeking();
    boolean isEarly = !isWanted && isInInit(ends.localQueuePair());
    if (ends.isDialler() || !(isWanted || isEarly) || !isFromPeer(greeting.channel(), ends)) {
      refuse(greeting, "no queue pair here expects it");
    } else if (isWanted) {
      greetings.remove(greeting);
      peer.begin(greeting.channel());
    }
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
    greetings.remove(greeting);
    network.closeQuietly(greeting.channel());
    LOG.debug("connection refused: {}", why);
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
