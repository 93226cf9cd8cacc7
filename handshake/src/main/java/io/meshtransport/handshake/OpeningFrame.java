// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/** The first frame of a connection, sent by the dialing side. */
sealed interface OpeningFrame extends HandshakeFrame permits Hello, HandleQuery {
  /** Capability bit: the sender has a secret and demands proof of it. */
  int CAPABILITY_SECRET = 1;

  /** Identifies this handshake in every frame that follows, except REFUSE. */
  ConnectionNonce nonce();

  /** Bits, of which {@link #CAPABILITY_SECRET} has a meaning. */
  int capabilities();

  default boolean hasSecret() {
    return (capabilities() & CAPABILITY_SECRET) != 0;
  }
}
