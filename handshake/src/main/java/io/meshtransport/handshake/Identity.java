// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * This node's id and secret, and its sources of randomness and time, for both directions of
 * handshakes.
 *
 * @param clockNs as {@link System#nanoTime()}
 */
record Identity(
    NodeId self, Optional<SharedSecret> secret, SecureRandom random, LongSupplier clockNs) {
  Identity {
    Objects.requireNonNull(self, "self");
    Objects.requireNonNull(secret, "secret");
    Objects.requireNonNull(random, "random");
    Objects.requireNonNull(clockNs, "clockNs");
  }

  long nowNs() {
    return clockNs.getAsLong();
  }

  /** Refuses a peer that has a secret where we have none, and vice versa. */
  void requireSecretLikeOurs(OpeningFrame opening) throws WireException {
    if (opening.hasSecret() != secret.isPresent()) {
      throw new WireException(
          opening.hasSecret() ? Reason.SECRET_UNEXPECTED : Reason.SECRET_MISSING, "");
    }
  }

  int capabilities() {
    return secret.isPresent() ? OpeningFrame.CAPABILITY_SECRET : 0;
  }
}
