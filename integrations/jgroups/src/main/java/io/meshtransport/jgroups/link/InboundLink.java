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
 * The connection from one peer: the channel that the peer opened, receives posted on it, and the
 * thread that hands received messages to JGroups without a copy. Until the peer has introduced
 * itself there is one receive, for {@link #INTRODUCTION_LIMIT}. Made by {@link InboundLinks}; ends
 * when the channel does.
 */
public final class InboundLink implements AutoCloseable {
  /** Receives for a peer that has not introduced itself: later messages wait until it has. */
  static final int FIRST_RECEIVES = 1;

  /** How long a peer may take to introduce itself: its first message is in flight already. */
  static final Duration INTRODUCTION_LIMIT = Duration.ofSeconds(5);

  /** How often the thread checks whether the link was closed; a message wakes it at once. */
  private static final Duration TICK = Duration.ofSeconds(1);

  /** Receives and their memory, which is registered as the ring grows. */
  private record Receives(List<RegisteredMemory> memories, ReceiveRing ring)
      implements AutoCloseable {
    static Receives of(ReceiveChannel channel, Transport transport, int receives, int bufferBytes)
        throws TransportException {
      List<RegisteredMemory> memories = new ArrayList<>();
      ReceiveRing.Memory registered =
          lengthBytes -> {
            memories.add(transport.register(ByteBuffer.allocateDirect(lengthBytes)));
            return memories.get(memories.size() - 1);
          };
      ReceiveRing ring = null;
      try {
        ring = new ReceiveRing(channel, registered, receives, Transport.MAX_GROUP, bufferBytes);
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

  /** Handles what a peer sends, on the link's thread. */
  public interface Handler {
    /** Reads the node's id in a handle. */
    NodeIds ids();

    /**
     * The peer introduces itself and reports the nodes introduced to it. May wait some seconds to
     * probe another node that claims the same address.
     *
     * @throws ProtocolException if the introduction is refused; the link is then closed
     */
    void directory(InboundLink link, DirectoryMessage message) throws ProtocolException;

    /**
     * A bundle of JGroups.
     *
     * @param bundle from position to limit; read before this returns
     */
    void bundle(Node sender, ByteBuffer bundle);

    /** The link has ended. */
    void ended(InboundLink link, Node sender, TransportException why);

    /** The peer violated the protocol; the link is closed. */
    void protocolViolation(Node sender, String peer, ProtocolException why);
  }

  /**
   * @param receives how many are posted once the peer has introduced itself, for its bundles
   * @throws TransportException if there is no memory for the first ones
   */
  public InboundLink(
      ReceiveChannel channel,
      Transport transport,
      int receives,
      int bufferBytes,
      int maxBundleBytes,
      Handler arrivals)
      throws TransportException {
    this.channel = channel;
    this.transport = transport;
    this.handler = arrivals;
    receiveCount = receives;
    this.bufferBytes = bufferBytes;
    reassembler = new BundleReassembler(maxBundleBytes);
    thread = new Thread(this::run, "mesh-jgroups-in");
    thread.setDaemon(true);
    first = Receives.of(channel, transport, FIRST_RECEIVES, bufferBytes);
  }

  /**
   * @throws OutOfMemoryError if no thread can be started; the channel stays the caller's to close
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

  /** The peer; null until it has introduced itself. */
  Node peer() {
    return peer;
  }

  /** The beginning of the id of the node that opened the channel. */
  public String openerId() {
    return channel.route().peer();
  }

  /** When it was accepted, on the clock of System.nanoTime. */
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

  /** A step that fails does not prevent the others. */
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
    Receives receives = first;
    receives.ring().postFirst();
    while (!closing) {
      ReceiveRing ring = receives.ring();
      if (ring.awaitNext(TICK) && !closing) {
        handle(ring.message());
        ring.consumed();
        if (all == null && peer != null) {
          // After the first ones, which the next messages are received into.
          ring.end();
          all = Receives.of(channel, transport, receiveCount, bufferBytes);
          all.ring().postFirst();
        }
      }
      if (receives != all && all != null && ring.isExhausted()) {
        receives = all;
      }
      if (peer == null && System.nanoTime() - sinceNs > INTRODUCTION_LIMIT.toNanos()) {
        throw new ProtocolException(
            "it has not introduced itself within " + INTRODUCTION_LIMIT.toSeconds() + " s");
      }
    }
  }

  private void handle(ByteBuffer received) throws ProtocolException {
    if (received.limit() < BundleHeader.HEADER_BYTES
        || BundleHeader.version(received) != BundleHeader.VERSION) {
      throw new ProtocolException(
          "a message of %d bytes that does not begin as version %d does. Run the same release of mesh-jgroups on all nodes."
              .formatted(received.limit(), BundleHeader.VERSION));
    }
    byte kind = BundleHeader.kind(received);
    int lengthBytes = BundleHeader.lengthBytes(received);
    int offsetBytes = BundleHeader.offsetBytes(received);
    received.position(BundleHeader.HEADER_BYTES);
    if (kind == BundleHeader.DIRECTORY) {
      DirectoryMessage message = DirectoryMessage.decode(received.slice(), handler.ids());
      requireSame(message.sender());
      handler.directory(this, message);
      peer = message.sender();
    } else if (peer == null) {
      throw new ProtocolException("the first message is no introduction, but of kind " + kind);
    } else if (kind == BundleHeader.BUNDLE) {
      handler.bundle(peer, received);
    } else if (kind == BundleHeader.FRAGMENT) {
      if (reassembler.add(lengthBytes, offsetBytes, received)) {
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
      throw new ProtocolException(
          "it was node " + before + ", and now introduces itself as " + sender);
    }
  }

  @Override
  public String toString() {
    return channel.route().toString();
  }

  /** Ends the link, from any thread. Does not wait: see {@link #join}. Safe to call twice. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
  }

  /** Waits for the end of its thread. */
  void join(long maxMs) throws InterruptedException {
    thread.join(Math.max(1, maxMs));
  }
}
