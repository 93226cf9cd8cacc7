// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.DirectoryMessage;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.NodeIds;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The way from one peer: the channel that the peer opened, rooms posted on it, and the thread that
 * hands what arrives straight from there to JGroups. Until the peer has introduced itself there is
 * one receive, for {@link #INTRODUCTION_LIMIT}. Made by {@link InboundConnections}; ends when the
 * channel does.
 */
public final class InboundLink implements AutoCloseable {
  /** Receives for a peer that has not introduced itself: what follows waits until it has. */
  static final int FIRST_RECEIVES = 1;

  /** How long a peer may take to say who it is: its first message is on its way already. */
  static final Duration INTRODUCTION_LIMIT = Duration.ofSeconds(5);

  /** Only a look whether it is to end; what arrives wakes the thread at once. */
  private static final Duration TICK = Duration.ofSeconds(1);

  /** Rooms and their memory, which is registered as the ring grows. */
  private record Receives(List<RegisteredMemory> memories, ReceiveRing ring)
      implements AutoCloseable {
    static Receives of(ReceiveChannel channel, Transport transport, int rooms, int roomBytes)
        throws TransportException {
      List<RegisteredMemory> memories = new ArrayList<>();
      ReceiveRing.Memory registered =
          lengthBytes -> {
            memories.add(transport.register(ByteBuffer.allocateDirect(lengthBytes)));
            return memories.get(memories.size() - 1);
          };
      ReceiveRing ring = null;
      try {
        ring = new ReceiveRing(channel, registered, rooms, Transport.MAX_GROUP, roomBytes);
        return new Receives(memories, ring);
      } finally {
        if (ring == null) {
          memories.forEach(RegisteredMemory::close);
        }
      }
    }

    @Override
    public void close() {
      memories.forEach(RegisteredMemory::close);
    }
  }

  private final ReceiveChannel channel;
  private final Transport transport;
  private final int receiveCount;
  private final int bufferBytes;
  private final Handler handler;
  private final BundleReassembler reassembler;
  private final Thread thread;
  private final long sinceNs = System.nanoTime();
  private final Receives first;
  private Receives all;
  private volatile Node peer;
  private volatile boolean closing;

  /** What becomes of what arrives, on the link's thread. */
  public interface Handler {
    /** Reads whose a handle is. */
    NodeIds ids();

    /**
     * The peer says who it is and whom it has met. May wait some seconds for another node that says
     * the same of itself.
     *
     * @throws ProtocolException if it is not believed; the link is then closed
     */
    void directory(InboundLink link, DirectoryMessage message) throws ProtocolException;

    /**
     * A bundle of JGroups.
     *
     * @param bundle from position to limit; read before this returns
     */
    void bundle(Node sender, ByteBuffer bundle);

    /** The link is over. */
    void ended(InboundLink link, Node sender, TransportException why);

    /** What arrived makes no sense; the link is closed. */
    void protocolViolation(Node sender, String peer, ProtocolException why);
  }

  /**
   * @param rooms posted once the peer has said who it is, for it to write its bundles into
   * @throws TransportException if there is no memory for the first ones
   */
  public InboundLink(
      ReceiveChannel channel,
      Transport transport,
      int rooms,
      int roomBytes,
      int maxBundleBytes,
      Handler arrivals)
      throws TransportException {
    this.channel = channel;
    this.transport = transport;
    this.handler = arrivals;
    receiveCount = rooms;
    this.bufferBytes = roomBytes;
    reassembler = new BundleReassembler(maxBundleBytes);
    thread = new Thread(this::run, "mesh-jgroups-in");
    thread.setDaemon(true);
    first = Receives.of(channel, transport, FIRST_RECEIVES, roomBytes);
  }

  /**
   * @throws OutOfMemoryError if there can be no thread; the channel stays the caller's to close
   */
  void start() {
    boolean isStarted = false;
    try {
      thread.start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        first.close();
      }
    }
  }

  /** Who is at the other end; null as long as it has not said. */
  Node peer() {
    return peer;
  }

  /** The beginning of the id of the node that opened the channel. */
  public String openerId() {
    return channel.route().peer();
  }

  /** Since when it has been there, on the clock of System.nanoTime. */
  long sinceNs() {
    return sinceNs;
  }

  private void run() {
    TransportException why = null;
    try {
      receive();
    } catch (TransportException e) {
      why = e;
    } catch (ProtocolException e) {
      handler.protocolViolation(peer, channel.route().toString(), e);
    } catch (Throwable e) {
      if (!closing) {
        why = failed(e);
      }
    } finally {
      end(why);
    }
  }

  private static TransportException failed(Throwable e) {
    return new TransportException(
        TransportException.Reason.DEVICE, "the thread of the link met " + e, e);
  }

  /** One thing that fails does not keep the others from being done. */
  private void end(TransportException why) {
    try {
      channel.close();
    } finally {
      try {
        first.close();
        if (all != null) {
          all.close();
        }
      } finally {
        handler.ended(this, peer, why);
      }
    }
  }

  private void receive() throws TransportException, ProtocolException {
    Receives rooms = first;
    rooms.ring().postFirst();
    while (!closing) {
      ReceiveRing ring = rooms.ring();
      if (ring.awaitNext(TICK) && !closing) {
        handle(ring.message());
        ring.consumed();
        if (all == null && peer != null) {
          // Behind the first ones, which what comes next goes into.
          ring.end();
          all = Receives.of(channel, transport, receiveCount, bufferBytes);
          all.ring().postFirst();
        }
      }
      if (rooms != all && all != null && ring.isExhausted()) {
        rooms = all;
      }
      if (peer == null && System.nanoTime() - sinceNs > INTRODUCTION_LIMIT.toNanos()) {
        throw new ProtocolException(
            "it has not said who it is within " + INTRODUCTION_LIMIT.toSeconds() + " s");
      }
    }
  }

  private void handle(ByteBuffer room) throws ProtocolException {
    if (room.limit() < BundleHeader.HEADER_BYTES
        || BundleHeader.version(room) != BundleHeader.VERSION) {
      throw new ProtocolException(
          "a message of %d bytes that does not begin as version %d does. Run the same release of mesh-jgroups on all nodes."
              .formatted(room.limit(), BundleHeader.VERSION));
    }
    byte kind = BundleHeader.kind(room);
    int lengthBytes = BundleHeader.lengthBytes(room);
    int offsetBytes = BundleHeader.offsetBytes(room);
    room.position(BundleHeader.HEADER_BYTES);
    if (kind == BundleHeader.DIRECTORY) {
      DirectoryMessage message = DirectoryMessage.decode(room.slice(), handler.ids());
      requireSame(message.sender());
      handler.directory(this, message);
      peer = message.sender();
    } else if (peer == null) {
      throw new ProtocolException("the first message is no introduction, but of kind " + kind);
    } else if (kind == BundleHeader.BUNDLE) {
      handler.bundle(peer, room);
    } else if (kind == BundleHeader.FRAGMENT) {
      if (reassembler.add(lengthBytes, offsetBytes, room)) {
        handler.bundle(peer, ByteBuffer.wrap(reassembler.bundle(), 0, lengthBytes));
      }
    } else {
      throw new ProtocolException("a message of unknown kind " + kind);
    }
  }

  private void requireSame(Node sender) throws ProtocolException {
    Node before = peer;
    if (before != null
        && !(before.id().equals(sender.id()) && before.overlay().equals(sender.overlay()))) {
      throw new ProtocolException("it was node " + before + ", and now says to be " + sender);
    }
  }

  @Override
  public String toString() {
    return channel.route().toString();
  }

  /** Ends it from any thread. Does not wait: see {@link #join}. Safe to call twice. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
  }

  /** Waits for the end of its thread. */
  void join(long atMostMs) throws InterruptedException {
    thread.join(Math.max(1, atMostMs));
  }
}
