// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.util.Objects;

/**
 * A node whose datagrams have another trailer than this node's. Nothing proves what it says of
 * itself, nor whether it has a secret. A value.
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
    NOT_THE_SAME
  }

  /** Checks that both are there. */
  public OtherSecret {
    Objects.requireNonNull(sender, "sender");
    Objects.requireNonNull(difference, "difference");
  }
}
