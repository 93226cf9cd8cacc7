// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Objects;

/**
 * One number about the handshakes of a transport since it was opened.
 *
 * @param name for programs: stays the same from release to release
 * @param meaning for people, in a sentence
 * @param count how often, or for what is counted as open: how many now
 */
public record HandshakeCount(String name, String meaning, long count) {
  /** Checks that there is a name and a meaning. */
  public HandshakeCount {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(meaning, "meaning");
  }
}
