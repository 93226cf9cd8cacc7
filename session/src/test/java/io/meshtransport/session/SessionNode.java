// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A node of a test: a transport, a session over it, and what has arrived. */
final class SessionNode implements MessageHandler, AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(60);

  final Transport transport;
  final Session session;

  /** As in {@code b says hello}, {@code b is open}, {@code b is down: PEER_CLOSED}. */
  final List<String> events = new CopyOnWriteArrayList<>();

  /** As in {@code events}, of the exchange. */
  final List<String> exchanged = new CopyOnWriteArrayList<>();

  final List<byte[]> messages = new CopyOnWriteArrayList<>();

  /** Whether requests wait for a reply that never comes. */
  volatile boolean isSilent;

  /**
   * @param handles of all nodes of the test, by their names
   */
  SessionNode(Transport transport, Map<String, byte[]> handles, SessionOptions options)
      throws TransportException {
    this.transport = transport;
    session = Session.open(transport, new Nodes(handles), this, options);
    handles.put(session.name(), session.handle());
  }

  /** Notes what the peers' exchanges say. */
  private final class Nodes implements NodeExchange {
    private final Map<String, byte[]> handles;

    private Nodes(Map<String, byte[]> handles) {
      this.handles = handles;
    }

    @Override
    public Optional<byte[]> handle(String name) {
      return Optional.ofNullable(handles.get(name));
    }

    @Override
    public void onOpen(PeerSession peer) {
      exchanged.add(peer.name() + " is open");
    }

    @Override
    public void onDown(PeerSession peer, boolean wasOpen, TransportException why) {
      exchanged.add(peer.name() + " is down");
    }

    @Override
    public void onProcessEnd(PeerSession peer, String nodeId) {
      exchanged.add(peer.name() + " has ended");
    }

    @Override
    public void onExchange(PeerSession from, ByteBuffer message) throws ProtocolException {
      String text = text(message);
      exchanged.add(from.name() + " says " + (text.length() > 99 ? text.length() : text));
      if (text.equals("lie")) {
        throw new ProtocolException("it lies");
      }
      if (text.equals("throw")) {
        throw new IllegalStateException("it was told to");
      }
    }
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  @Override
  public void onMessage(PeerSession from, ByteBuffer message) {
    byte[] copy = new byte[message.remaining()];
    message.get(copy);
    if (copy.length < 100) {
      events.add(from.name() + " says " + new String(copy, StandardCharsets.UTF_8));
    }
    messages.add(copy);
  }

  @Override
  public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
    if (isSilent) {
      return;
    }
    if (request.remaining() == "throw".length() && text(request).equals("throw")) {
      throw new IllegalStateException("it was told to");
    }
    ByteBuffer answer = ByteBuffer.allocate(request.remaining() + 1);
    answer.put(request).put((byte) '!').flip();
    reply.send(answer);
  }

  @Override
  public void onOpen(PeerSession peer) {
    events.add(peer.name() + " is open");
  }

  @Override
  public void onDown(PeerSession peer, boolean wasOpen, TransportException why) {
    if (wasOpen) {
      events.add(peer.name() + " is down: " + why.reason());
    }
  }

  @Override
  public void onProcessEnd(PeerSession peer, String nodeId) {
    events.add(peer.name() + " has ended");
  }

  @Override
  public void close() {
    session.close();
    transport.close();
  }
}
