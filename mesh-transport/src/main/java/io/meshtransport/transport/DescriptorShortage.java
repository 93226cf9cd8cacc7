// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Recognises that this process may open no more files, which shows itself in many ways while a
 * transport opens. Holds nothing.
 */
final class DescriptorShortage {
  /** What strerror says of EMFILE and ENFILE; Java passes it on. */
  private static final String TEXT = "Too many open files";

  private DescriptorShortage() {}

  /** Whether a text ends in such a failure. */
  static boolean isToldIn(String text) {
    return text.contains(TEXT);
  }

  /**
   * What ended the opening, as users see it.
   *
   * @throws RuntimeException the same, if it is something else
   */
  static TransportException explain(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (isToldIn(String.valueOf(cause.getMessage()))) {
        return of(String.valueOf(cause.getMessage()), failure);
      }
    }
    if (areNoneLeft() || isOfAClassThatIsThere(failure)) {
      return of(String.valueOf(failure), failure);
    }
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  /** Its jar could not be opened then, and can be now that what was opened is closed. */
  private static boolean isOfAClassThatIsThere(Throwable failure) {
    return failure instanceof NoClassDefFoundError
        && failure.getCause() instanceof ClassNotFoundException
        && DescriptorShortage.class.getResource("/" + failure.getMessage() + ".class") != null;
  }

  private static boolean areNoneLeft() {
    try (InputStream any = new FileInputStream("/dev/null")) {
      return any.read() >= 0;
    } catch (IOException e) {
      return isToldIn(String.valueOf(e.getMessage()));
    }
  }

  /**
   * @param what failed
   * @param cause null if there is none
   */
  static TransportException of(String what, Throwable cause) {
    return new TransportException(
        Reason.NO_RESOURCES,
        "This process has as many files and sockets open as it may: "
            + what
            + ". `ulimit -n` shows the limit; raise it before the program starts (LimitNOFILE= in a systemd unit, nofile"
            + " in /etc/security/limits.conf). A transport takes some 10 descriptors and 5 for each NIC, and one for"
            + " each peer. Nothing of it stays open.",
        cause);
  }
}
