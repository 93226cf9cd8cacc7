// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.util.function.Consumer;

/** Attributes of a stack's element MESH, checked before anything is opened. */
final class AttributeChecks {
  /** Of any wait: an hour. */
  static final long MAX_MS = 3_600_000;

  private AttributeChecks() {}

  /**
   * @throws IllegalArgumentException naming the attribute and what it may be
   */
  static void range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "MESH: " + name + "=" + value + " is not possible. It is " + least + " to " + most + ".");
    }
  }

  /**
   * @param reader throws IllegalArgumentException if the text makes no sense
   * @throws IllegalArgumentException naming the attribute and what the reader has against it
   */
  static void text(String name, String value, Consumer<String> reader) {
    try {
      reader.accept(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "MESH: " + name + "=\"" + value + "\" is not possible: " + e.getMessage(), e);
    }
  }
}
