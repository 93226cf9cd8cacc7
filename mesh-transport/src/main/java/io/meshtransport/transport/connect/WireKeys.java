// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.transport.endpoint.WireToken;
import io.meshtransport.verbs.HmacSha256;
import io.meshtransport.verbs.WireKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Makes of the tokens that both ends exchanged in the handshake the key that the data connection is
 * proved with: HMAC-SHA-256 over both tokens, the smaller first, keyed with the secret where there
 * is one. So with a secret it takes the secret, and without one it takes having read the handshake.
 * Any thread.
 */
public final class WireKeys {
  private static final byte[] LABEL = "mesh wire".getBytes(StandardCharsets.US_ASCII);

  private final HmacSha256 secret;

  public WireKeys(Optional<byte[]> secret) {
    this.secret = new HmacSha256(secret.orElse(LABEL));
  }

  WireKey of(WireToken own, WireToken theirs) {
    boolean isOwnFirst = WireToken.compare(own, theirs) <= 0;
    ByteBuffer tokens = ByteBuffer.allocate(2 * WireToken.LENGTH_BYTES);
    (isOwnFirst ? own : theirs).put(tokens);
    (isOwnFirst ? theirs : own).put(tokens);
    return WireKey.of(secret.of(LABEL, tokens.array()));
  }
}
