// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jgroups.stack.IpAddress;

/**
 * A node of the mesh as the others know it. Nodes are equal if all components are.
 *
 * @param overlay the address that JGroups uses for it, IPv4 with a port; no interface has it
 * @param name {@code node_name}, 1 to {@value #MAX_NAME_BYTES} bytes of UTF-8, no control
 *     characters
 * @param incarnation when this process of the node started, or its addresses last changed,
 *     milliseconds since 1970, 0 to {@link #MAX_INCARNATION}: of two statements about one node the
 *     one with the greater incarnation is the newer, as in SWIM
 * @param handle given by its listener, 1 to {@value #MAX_HANDLE_BYTES} bytes; another one after its
 *     addresses have changed
 * @param id of the transport that gave the handle, random for each process; a part of the handle
 */
public record Node(IpAddress overlay, String name, long incarnation, byte[] handle, String id) {
  /** A name is for people; it fits one byte of length. */
  static final int MAX_NAME_BYTES = 255;

  /** What the SPI promises of a listener's handle. */
  static final int MAX_HANDLE_BYTES = 512;

  /** Leaves space to count up from the greatest that a peer may claim. */
  static final long MAX_INCARNATION = 1L << 62;

  public Node {
    Objects.requireNonNull(overlay);
    Objects.requireNonNull(id);
    if (overlay.getIpAddress() == null || overlay.getIpAddress().getAddress().length != 4) {
      throw new IllegalArgumentException("an overlay address is IPv4, not " + overlay);
    }
    if (overlay.getPort() <= 0 || overlay.getPort() > 65_535) {
      throw new IllegalArgumentException(
          "an overlay address has a port of 1 to 65535, not " + overlay.getPort());
    }
    requireName(name);
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
   * @throws IllegalArgumentException if a node cannot have that name
   */
  public static void requireName(String name) {
    int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (nameBytes == 0 || nameBytes > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          "a node's name has 1 to " + MAX_NAME_BYTES + " bytes, not " + nameBytes);
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "a node's name has no control characters, for it appears in logs");
    }
  }

  /** The same node claiming another incarnation. */
  public Node withIncarnation(long another) {
    return new Node(overlay, name, another, handle, id);
  }

  /** The same node at other addresses, as it introduces itself from now on. */
  Node withHandle(byte[] another, long newer) {
    return new Node(overlay, name, newer, another, id);
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
        && overlay.equals(that.overlay)
        && name.equals(that.name)
        && incarnation == that.incarnation
        && id.equals(that.id)
        && Arrays.equals(handle, that.handle);
  }

  @Override
  public int hashCode() {
    return Objects.hash(overlay, name, incarnation, Arrays.hashCode(handle));
  }

  /** {@code a (198.18.3.7:4791)}, for logs. */
  @Override
  public String toString() {
    return name + " (" + overlay + ")";
  }
}
