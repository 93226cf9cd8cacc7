// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import io.meshtransport.verbs.ProcessLimits;
import io.meshtransport.verbs.VerbsException;

/** Makes the exception of a failed call of libibverbs. */
final class NativeFailure {
  private NativeFailure() {}

  /** Throws if an int verb answered an errno. */
  static void check(int errno, String call, String subject) throws VerbsException {
    if (errno != 0) {
      throw of(errno, call, subject);
    }
  }

  /** The answer of a pointer verb, unless it is NULL. */
  static long checkPointer(long pointer, String call, String subject) throws VerbsException {
    if (pointer == 0) {
      throw of(Native.getLastError(), call, subject);
    }
    return pointer;
  }

  /**
   * The text has the call's name, its subject, the errno with its meaning, and what usually helps.
   *
   * @param subject as in "device rxe0"
   */
  static VerbsException of(int errno, String call, String subject) {
    return new VerbsException(
        errno,
        call
            + " failed for "
            + subject
            + ": "
            + ErrnoText.of(errno)
            + "."
            + Remedies.of(call, errno, ProcessLimits.ofThisProcess()));
  }
}
