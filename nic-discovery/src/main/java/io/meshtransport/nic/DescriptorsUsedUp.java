// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Tells a file that cannot be read from a process that cannot read any at the moment. */
final class DescriptorsUsedUp {
  /** What strerror(3) says of EMFILE; of ENFILE it says the same and where. */
  private static final String TOO_MANY = "Too many open files";

  private DescriptorsUsedUp() {}

  /**
   * @throws UncheckedIOException if this failure says nothing about the file: a later try may go
   *     well
   */
  static void rethrow(IOException failure) {
    if (String.valueOf(failure.getMessage()).contains(TOO_MANY)) {
      throw new UncheckedIOException("cannot look at this host", failure);
    }
  }
}
