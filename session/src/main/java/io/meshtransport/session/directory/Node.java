// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * A node of the mesh as the others know it. Nodes are equal if all components are.
 *
 * @param name of its session, 1 to {@value #MAX_NAME_BYTES} bytes of UTF-8, no control characters
 * @param label what people call it, 1 to {@value #MAX_LABEL_BYTES} bytes of UTF-8, no control
 *     characters; the name where there is none
 * @param incarnation when this process of the node started, or its addresses last changed,
 *     milliseconds since 1970, 0 to {@link #MAX_INCARNATION}: of two statements about one node the
 *     one with the greater incarnation is the newer, as in SWIM
 * @param handle of its session, 1 to {@value #MAX_HANDLE_BYTES} bytes; another one after its
 *     addresses have changed
 * @param id of the transport that gave the handle, random for each process; a part of the handle
 */
public record Node(String name, String label, long incarnation, byte[] handle, String id) {
  /** What goes with a session's hello. */
  static final int MAX_NAME_BYTES = 240;

  /** A label is for people; it fits one byte of length. */
  static final int MAX_LABEL_BYTES = 255;

  /** What the SPI promises of a listener's handle. */
  static final int MAX_HANDLE_BYTES = 512;

  /** Leaves space to count up from the greatest that a peer may claim. */
  static final long MAX_INCARNATION = 1L << 62;

  public Node {
    Objects.requireNonNull(id);
    require("name", name, MAX_NAME_BYTES);
    requireLabel(label);
    if (incarnation < 0 || incarnation > MAX_INCARNATION) {
      throw new IllegalArgumentException("an incarnation is 0 to 2^62, not " + incarnation);
    }
    if (handle.length == 0 || handle.length > MAX_HANDLE_BYTES) {
      throw new IllegalArgumentException(
          "a handle has 1 to " + MAX_HANDLE_BYTES + " bytes, not " + handle.length);
    }
    handle = handle.clone();
  }

  /**
   * @throws IllegalArgumentException if a node cannot have that label
   */
  public static void requireLabel(String label) {
    require("label", label, MAX_LABEL_BYTES);
  }

  private static void require(String what, String text, int maxBytes) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > maxBytes) {
      throw new IllegalArgumentException(
          "a node's %s has 1 to %d bytes, not %d".formatted(what, maxBytes, bytes));
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "a node's " + what + " has no control characters, for it appears in logs");
    }
  }

  /** The same node claiming another incarnation. */
  public Node withIncarnation(long another) {
    return new Node(name, label, another, handle, id);
  }

  /** The same node at other addresses, as it introduces itself from now on. */
  Node withHandle(byte[] another, long newer) {
    return new Node(name, label, newer, another, id);
  }

  /** A copy. */
  @Override
  public byte[] handle() {
    return handle.clone();
  }

  /** Whether this is the handle, without a copy. */
  boolean hasHandle(byte[] bytes) {
    return Arrays.equals(handle, bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Node that
        && name.equals(that.name)
        && label.equals(that.label)
        && incarnation == that.incarnation
        && id.equals(that.id)
        && Arrays.equals(handle, that.handle);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, label, incarnation, Arrays.hashCode(handle));
  }

  /** {@code a (198.18.3.7:4791)}, for logs; the name alone if there is no other label. */
  @Override
  public String toString() {
    return label.equals(name) ? name : label + " (" + name + ")";
  }
}
