// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.verbs.WireKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes of what both ends of a line were told in the handshake the key that its data connection is
 * proved with: HMAC-SHA-256 over both tokens, the smaller first, keyed with the secret where there
 * is one. So with a secret it takes the secret, and without one it takes having read the handshake.
 * Any thread.
 */
final class WireKeys {
  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] LABEL = "mesh wire".getBytes(StandardCharsets.US_ASCII);

  private final SecretKeySpec secret;

  WireKeys(Optional<byte[]> secret) {
    this.secret = new SecretKeySpec(secret.orElse(LABEL), ALGORITHM);
  }

  WireKey of(WireToken own, WireToken theirs) {
    boolean isOwnFirst = WireToken.compare(own, theirs) <= 0;
    ByteBuffer tokens = ByteBuffer.allocate(2 * WireToken.LENGTH_BYTES);
    (isOwnFirst ? own : theirs).put(tokens);
    (isOwnFirst ? theirs : own).put(tokens);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      mac.update(LABEL);
      return WireKey.of(mac.doFinal(tokens.array()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}
