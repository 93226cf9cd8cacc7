// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/** What a connection begins with: who dialled says what it wants, and for which job. */
sealed interface OpeningFrame extends HandshakeFrame permits Hello, HandleQuery {
  /** Capability bit: the sender has a secret and will demand proof of it. */
  int CAPABILITY_SECRET = 1;

  /** Names this connection in every frame that follows, but REFUSE. */
  ConnectionNonce nonce();

  /** Which job the sender belongs to. */
  long jobId();

  /** Bits, of which {@link #CAPABILITY_SECRET} has a meaning. */
  int capabilities();

  default boolean hasSecret() {
    return (capabilities() & CAPABILITY_SECRET) != 0;
  }
}
