// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A TCP connection that we dialed, between two handshakes, when neither side sends. Owned by {@link
 * ConnectionPool}; confined to the event loop.
 */
final class IdleConnection extends HandshakeChannel {
  private final ConnectionPool pool;
  private final ConnectionPool.Key key;
  private final long sinceNs;

  /**
   * @param sinceNs when the previous handshake ended
   */
  IdleConnection(
      ConnectionPool pool, ConnectionPool.Key key, long sinceNs, HandshakeCounters counters) {
    super(counters, new NoMessages());
    this.pool = pool;
    this.key = key;
    this.sinceNs = sinceNs;
  }

  ConnectionPool.Key key() {
    return key;
  }

  long sinceNs() {
    return sinceNs;
  }

  @Override
  void opened() {
    throw new IllegalStateException(this + " is open already");
  }

  @Override
  void reused() {}

  @Override
  void received(byte[] raw) {
    throw new IllegalStateException(this + " expects no messages");
  }

  @Override
  void malformed(Reason reason, String text, ByteBuffer arrived) {
    pool.drop(this);
  }

  @Override
  void disconnected(String why) {
    pool.drop(this);
  }

  @Override
  public String toString() {
    return "idle connection to " + key.remote();
  }

  /** Any byte is an error. */
  private static final class NoMessages implements MessageAssembler {
    @Override
    public Optional<byte[]> assemble(ByteBuffer in) throws WireException {
      if (in.hasRemaining()) {
        throw new WireException(Reason.GARBAGE, "bytes after READY");
      }
      return Optional.empty();
    }

    @Override
    public boolean isEmpty() {
      return true;
    }
  }
}
