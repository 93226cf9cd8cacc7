// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * The owner of the queue pairs, as one accepted handshake asks it, on callback threads. Rules as
 * for {@link Acceptor}.
 */
interface Owner {
  /** Makes a queue pair. The answer that describes it to the peer. */
  byte[] offer() throws RefusedException;

  /** The connection stands. */
  void established();

  /** The offer came to nothing. */
  void abandoned(HandshakeException why);
}
