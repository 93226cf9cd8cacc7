// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * A TCP port at which C plugins connect to one listener: their message names no listener, so each
 * listener has a port of its own. Made by {@link Handshaker#listenLegacy}; any thread.
 */
public final class LegacyPort implements AutoCloseable {
  private final int port;
  private final Runnable onClose;

  LegacyPort(int port, Runnable onClose) {
    this.port = port;
    this.onClose = onClose;
  }

  /** Its number, for the handle. */
  public int port() {
    return port;
  }

  /** Takes no more connections; those under way go on. Safe to call twice; does not wait. */
  @Override
  public void close() {
    onClose.run();
  }
}
