// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Objects;

/**
 * The value of one counter of a transport's handshakes.
 *
 * @param name name of the counter, for programs: stays the same from release to release
 * @param description what is counted, for people
 * @param count how often it happened since the transport opened, or how many there are now
 * @param isCurrent whether it says how many there are now: only then it can decrease
 */
public record HandshakeCount(String name, String description, long count, boolean isCurrent) {
  /** Checks that there is a name and a description. */
  public HandshakeCount {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
  }
}
