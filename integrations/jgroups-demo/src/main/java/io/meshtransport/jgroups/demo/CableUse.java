// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.CableProof;

/**
 * What the interfaces counted while only the two ends of one cable sent messages.
 *
 * @param pair as in {@code a-b}
 * @param subnet of their cable
 * @param payloadBytes that the two sent to each other, both directions together
 * @param ownBytes that their cable carried
 * @param otherBytes that all other interfaces carried
 */
public record CableUse(
    String pair, String subnet, long payloadBytes, long ownBytes, long otherBytes) {
  /**
   * What members continuously send to all others: who is alive, which messages all have. Measured 1
   * to 3 KiB per second; this is a minute of the more, and far less than any payload here.
   */
  static final long ALLOWED_OTHER_BYTES = 192 << 10;

  static CableUse between(CableProof before, CableProof after, Cable cable, long payloadBytes) {
    String one = cable.a().node();
    String other = cable.b().node();
    long own = after.carriedBytes(one, other) - before.carriedBytes(one, other);
    long all = after.sentBytes() - before.sentBytes();
    return new CableUse(one + "-" + other, cable.subnet(), payloadBytes, own, all - own);
  }

  /** Whether their cable carried all of it, and no other one a noteworthy part. */
  public boolean isRight() {
    return ownBytes >= payloadBytes && otherBytes <= ALLOWED_OTHER_BYTES;
  }

  @Override
  public String toString() {
    return "%s sent %d bytes; their cable carried %d, all others %d"
        .formatted(pair, payloadBytes, ownBytes, otherBytes);
  }
}
