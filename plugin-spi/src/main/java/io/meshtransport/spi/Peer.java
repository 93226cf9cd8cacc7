// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Objects;

/**
 * A node, as the other end of a connection knows it.
 *
 * @param name its setting MESH_NODE, by default its host's name: what people call it. Two nodes may
 *     have one name, and no node proves its name. Empty if the node gave none
 * @param id its {@link Transport#nodeId}: 32 hexadecimal digits, chosen at random each time a
 *     transport opens
 */
public record Peer(String name, String id) {
  /** Digits of the id that texts show. */
  private static final int SHORT_ID_DIGITS = 8;

  /** Max length of a name, in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 32;

  /** Checks that both are there. */
  public Peer {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(id, "id");
  }

  /** The first eight digits of the id. */
  public String shortId() {
    return id.substring(0, Math.min(SHORT_ID_DIGITS, id.length()));
  }

  /** As in {@code b (3f2dae8f)}, or the digits alone for a node without a name. */
  @Override
  public String toString() {
    return name.isEmpty() ? shortId() : name + " (" + shortId() + ")";
  }
}
