// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.TransportException;
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
  private final AtomicLong failures = new AtomicLong();

  /**
   * @param node this node's name, for the log
   */
  HandlerCalls(String node, MessageHandler handler) {
    this.node = node;
    this.handler = handler;
  }

  /** How often the program has thrown something. Any thread. */
  long failures() {
    return failures.get();
  }

  /** Allocates nothing unless the program throws. */
  void message(PeerSession from, ByteBuffer message) {
    try {
      handler.onMessage(from, message);
    } catch (Exception | StackOverflowError | LinkageError | AssertionError e) {
      failed(e);
    }
  }

  /** A request that the program throws at, and has not answered, fails with what it has thrown. */
  void request(PeerSession from, ByteBuffer request, Reply reply) {
    try {
      handler.onRequest(from, request, reply);
    } catch (Exception | StackOverflowError | LinkageError | AssertionError e) {
      failed(e);
      if (!reply.isAnswered()) {
        reply.fail(e.toString());
      }
    }
  }

  void open(PeerSession peer) {
    guard(() -> handler.onOpen(peer));
  }

  void down(PeerSession peer, boolean wasOpen, TransportException why) {
    guard(() -> handler.onDown(peer, wasOpen, why));
  }

  void processEnd(PeerSession peer, String nodeId) {
    guard(() -> handler.onProcessEnd(peer, nodeId));
  }

  private void guard(Runnable call) {
    try {
      call.run();
    } catch (Exception | StackOverflowError | LinkageError | AssertionError e) {
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
