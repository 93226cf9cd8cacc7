// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Calls the program. What it throws is logged and counted, and does not end the session's thread.
 */
final class HandlerCalls {
  private static final Logger LOG = LogManager.getLogger(HandlerCalls.class);

  private final String node;
  private final MessageHandler handler;
  private final NodeExchange exchange;
  private final AtomicLong failures = new AtomicLong();

  /**
   * @param node this node's name, for the log
   * @param exchange comes before the handler; null if there is none
   */
  HandlerCalls(String node, MessageHandler handler, NodeExchange exchange) {
    this.node = node;
    this.handler = handler;
    this.exchange = exchange;
  }

  /** How often the program has thrown something. Any thread. */
  long failures() {
    return failures.get();
  }

  /** Allocates nothing unless the program throws. */
  void message(PeerSession from, ByteBuffer message) {
    try {
      handler.onMessage(from, message);
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** A request that the program throws at, and has not answered, fails with what it has thrown. */
  void request(PeerSession from, ByteBuffer request, Reply reply) {
    try {
      handler.onRequest(from, request, reply);
    } catch (Throwable e) {
      failed(e);
      reply.failUnlessAnswered(e.toString());
    }
  }

  /** What the peer's source of nodes says; ignored if there is none here. */
  void exchange(PeerSession from, ByteBuffer message) throws ProtocolException {
    if (exchange == null) {
      return;
    }
    try {
      exchange.onExchange(from, message);
    } catch (ProtocolException e) {
      throw e;
    } catch (Throwable e) {
      failed(e);
    }
  }

  void open(PeerSession peer) {
    if (exchange != null) {
      guard(() -> exchange.onOpen(peer));
    }
    guard(() -> handler.onOpen(peer));
  }

  void down(PeerSession peer, boolean wasOpen, TransportException why) {
    if (exchange != null) {
      guard(() -> exchange.onDown(peer, wasOpen, why));
    }
    guard(() -> handler.onDown(peer, wasOpen, why));
  }

  void processEnd(PeerSession peer, String nodeId) {
    if (exchange != null) {
      guard(() -> exchange.onProcessEnd(peer, nodeId));
    }
    guard(() -> handler.onProcessEnd(peer, nodeId));
  }

  private void guard(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void failed(Throwable e) {
    long count = failures.incrementAndGet();
    // Each power of two: a handler that always fails must not fill the log.
    if (Long.bitCount(count) == 1) {
      LOG.warn("{}: the message handler has thrown {} times, now", node, count, e);
    }
  }
}
