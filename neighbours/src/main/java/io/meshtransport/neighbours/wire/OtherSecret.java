// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.util.Objects;

/**
 * A node whose datagrams do not have this node's MAC. Nothing proves what it says of itself, nor
 * whether it has a secret. A value.
 *
 * @param sender the name that it gives itself
 * @param difference of the two nodes' secrets
 */
public record OtherSecret(String sender, Difference difference) {
  /** Of two nodes that do not understand each other. */
  public enum Difference {
    /** This node has a secret, and the other one has none. */
    ONLY_HERE,
    /** The other node has a secret, and this one has none. */
    ONLY_THERE,
    /** Both have one, and not the same. */
    DIFFERENT
  }

  /** Checks that both are there. */
  public OtherSecret {
    Objects.requireNonNull(sender, "sender");
    Objects.requireNonNull(difference, "difference");
  }
}
