// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Who this node is in its handshakes, and where its randomness and time come from; shared by both
 * directions.
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

  /** Refuses who has a secret where we have none, and the other way round. */
  void requireSecretLikeOurs(OpeningFrame word) throws WireException {
    if (word.hasSecret() != secret.isPresent()) {
      throw new WireException(
          word.hasSecret() ? Reason.SECRET_UNEXPECTED : Reason.SECRET_MISSING, "");
    }
  }

  int capabilities() {
    return secret.isPresent() ? OpeningFrame.CAPABILITY_SECRET : 0;
  }
}
