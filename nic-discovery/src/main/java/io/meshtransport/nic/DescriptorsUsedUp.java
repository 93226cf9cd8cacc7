// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Distinguishes a file that cannot be read from a process that has no descriptor left. */
final class DescriptorsUsedUp {
  /** Text of strerror(3) for EMFILE; the text for ENFILE contains it. */
  private static final String TOO_MANY = "Too many open files";

  private DescriptorsUsedUp() {}

  /**
   * @throws UncheckedIOException if the failure has nothing to do with the file, so that a retry
   *     may succeed
   */
  static void rethrow(IOException failure) {
    if (String.valueOf(failure.getMessage()).contains(TOO_MANY)) {
      throw new UncheckedIOException("cannot scan this host", failure);
    }
  }
}
