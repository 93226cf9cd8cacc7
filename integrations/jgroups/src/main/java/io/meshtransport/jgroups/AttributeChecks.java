// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.util.function.Consumer;

/** Attributes of a stack's element MESH, checked before anything is opened. */
final class AttributeChecks {
  /** The longest wait that can be configured: an hour. */
  static final long MAX_MS = 3_600_000;

  private AttributeChecks() {}

  /**
   * @throws IllegalArgumentException naming the attribute and its range
   */
  static void range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "MESH: " + name + "=" + value + " is not possible. It is " + least + " to " + most + ".");
    }
  }

  /**
   * @param reader throws IllegalArgumentException if it cannot parse the text
   * @throws IllegalArgumentException naming the attribute and the reader's reason
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
