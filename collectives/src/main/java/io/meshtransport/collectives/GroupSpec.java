// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * Which nodes form a group, and which rank each has; the same at every member, except {@link
 * #member}. A value: each method answers a changed copy.
 *
 * @param name of the group, 1 to 24 bytes of UTF-8; nodes that join under one name at a time are
 *     one group
 * @param size number of members, 1 to {@value #MAX_SIZE}; 0 until it is given
 * @param members their names in the order of ranks; empty if they are the first that come, in the
 *     order of their names
 * @param member this member's name; empty for the name of its transport's node
 */
public record GroupSpec(String name, int size, List<String> members, String member) {
  /**
   * Max members of a group: plans grow with the square of it, and nobody cables more without a
   * switch.
   */
  public static final int MAX_SIZE = 64;

  /** Max length of a group's name, in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 24;

  /** Checks all values. */
  public GroupSpec {
    Objects.requireNonNull(member, "member");
    members = List.copyOf(members);
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > MAX_NAME_BYTES || name.codePoints().anyMatch(c -> c <= ' ')) {
      throw new IllegalArgumentException(
          "a group's name of " + bytes + " bytes; it has 1 to " + MAX_NAME_BYTES + ", no spaces");
    }
    if (size < 0 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "a group of " + size + " members; it has 1 to " + MAX_SIZE);
    }
    if (!members.isEmpty() && members.size() != size) {
      throw new IllegalArgumentException(
          members.size() + " members are named for a group of " + size + ": " + members);
    }
    if (new HashSet<>(members).size() != members.size()) {
      throw new IllegalArgumentException("a member is named twice: " + members);
    }
  }

  /** A group whose members are still to be given, by {@link #size(int)} or by their names. */
  public static GroupSpec named(String name) {
    return new GroupSpec(name, 0, List.of(), "");
  }

  /** So many members, whichever nodes come first; ranks are in the order of their names. */
  public GroupSpec size(int newSize) {
    if (newSize < 1) {
      throw new IllegalArgumentException("a group of " + newSize + " members; it has at least 1");
    }
    return new GroupSpec(name, newSize, List.of(), member);
  }

  /** These members, by name, in the order of their ranks. */
  public GroupSpec members(List<String> newMembers) {
    return new GroupSpec(name, newMembers.size(), newMembers, member);
  }

  /** As {@link #members(List)}. */
  public GroupSpec members(String... newMembers) {
    return members(List.of(newMembers));
  }

  /**
   * This member's name, where its transport's ({@code MESH_NODE}) is not to be used: for several
   * members in one process.
   */
  public GroupSpec member(String newMember) {
    return new GroupSpec(name, size, members, newMember);
  }
}
