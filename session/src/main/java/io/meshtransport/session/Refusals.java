// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Closes connections that are not wanted, and says why: to the peer, and once for each peer in the
 * log. By the session's thread, and once that ends by the one that closes the session, but for what
 * says otherwise.
 */
final class Refusals {
  private static final Logger LOG = LogManager.getLogger(Refusals.class);

  /** Of a text that says why a connection is closed; shorter where slots are. */
  static final int MAX_TEXT_BYTES = 512;

  /** How long closing waits until a peer without a link has been told why. */
  private static final Duration TELL_LIMIT = Duration.ofMillis(500);

  private final String node;
  private final int maxTextBytes;
  private final ConnectionClosers closers;
  private final RefusalLog said = new RefusalLog();
  private final AtomicLong count = new AtomicLong();

  /**
   * @param node this session's name
   * @param slotCapacity bytes of a message that fit one slot
   */
  Refusals(String node, int slotCapacity, ConnectionClosers closers) {
    this.node = node;
    maxTextBytes = Math.min(MAX_TEXT_BYTES, slotCapacity);
    this.closers = closers;
  }

  /** Why a second node of a name is refused. */
  static String rival(PeerSession peer, Connection other) {
    return "there are two nodes of the name '%s': %s, which stays connected, and %s. Give each a name of its own (MESH_NODE, or SessionOptions.name)"
        .formatted(
            peer.name(), peer.lastPeer().map(Object::toString).orElse("another"), other.peer());
  }

  /** Connections that were closed for what the peer sent. Any thread. */
  long count() {
    return count.get();
  }

  /** The peer is connected: what comes next is news. */
  void connected(Connection connection) {
    said.connected(connection.peer().id());
  }

  /** Closes a connection that is no link yet. */
  void refuse(Connection connection, ProtocolException why) {
    count.incrementAndGet();
    warn(connection, "is closed", why.getMessage());
    ByteBuffer text = text(why.getMessage());
    ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER_BYTES + text.remaining());
    Frame.put(frame, Frame.REFUSAL, (byte) 0, text.remaining(), 0);
    frame.position(Frame.HEADER_BYTES).put(text).flip();
    closers.execute(
        () -> {
          tell(connection, frame);
          connection.close();
        });
  }

  private void tell(Connection connection, ByteBuffer frame) {
    try {
      connection.send(frame, Frame.TAG, TELL_LIMIT);
    } catch (TransportException | RuntimeException e) {
      LOG.debug(
          "{}: {} is not told why its connection is closed: {}",
          node,
          connection.peer(),
          e.toString());
    }
  }

  private ByteBuffer text(String why) {
    byte[] bytes = (node + " says: " + why).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.wrap(bytes, 0, Math.min(maxTextBytes, bytes.length));
  }

  /** Once for each peer, until it is connected. */
  private void warn(Connection connection, String event, String why) {
    LOG.atLevel(said.isNews(connection.peer().id(), why) ? Level.WARN : Level.DEBUG)
        .log("{}: the connection with {} {}: {}", node, connection.peer(), event, why);
  }

  /** The peer closes a link, and says why. */
  void refusedByPeer(Link link, String why) {
    if (link.refusal == null) {
      link.refusal = new TransportException(Reason.REFUSED, why, true);
      warn(link.connection, "is refused by it", why);
      detachAndClose(link);
    }
  }

  /**
   * Closes a link that is not wanted.
   *
   * @param why for the log and the peer; null if neither end is at fault
   */
  void refuse(Link link, String why) {
    if (link.refusal != null) {
      return;
    }
    link.refusal =
        new TransportException(
            why == null ? Reason.CLOSED : Reason.PROTOCOL,
            why == null ? "another connection to this peer took its place" : why,
            true);
    if (why != null) {
      count.incrementAndGet();
      warn(link.connection, "is closed", why);
      if (link.peer != null) {
        link.peer.outbox().sendRefusal(link, text(why));
      }
    }
    detachAndClose(link);
  }

  private void detachAndClose(Link link) {
    if (link.peer != null) {
      link.peer.outbox().detach(link);
    }
    close(link.connection);
  }

  /** Closes a connection without a word, soon. */
  void close(Connection connection) {
    closers.execute(connection::close);
  }
}
