// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.config.ConfigException;
import io.meshtransport.spi.TransportException;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeFailure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Which failures are the world's, and what a user reads about them. */
final class CliFailures {
  private CliFailures() {}

  static boolean isExpected(Exception failure) {
    return failure instanceof TransportException
        || failure instanceof ConfigException
        || failure instanceof FabricException
        || failure instanceof NodeFailure
        || failure instanceof IOException;
  }

  /** Whether a setting is wrong: as with a wrong option, nothing was even begun. */
  static boolean isOfSettings(Exception failure) {
    return failure instanceof ConfigException
        || failure instanceof TransportException refused
            && refused.reason() == TransportException.Reason.CONFIGURATION;
  }

  static String sentence(Exception failure) {
    // The text of a settings error is complete, and the same for every command.
    if (failure instanceof TransportException why && !isOfSettings(failure)) {
      return why.summary();
    }
    if (failure instanceof FileSystemException refused) {
      return refused.getFile() + ": " + cause(refused);
    }
    return failure.getMessage();
  }

  /** What the operating system had against it, in words; the file is the caller's to name. */
  static String cause(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    // The message of these is only the file's name, or that and the reason.
    boolean reasoned =
        failure instanceof FileSystemException refused && refused.getReason() != null;
    return reasoned ? ((FileSystemException) failure).getReason() : failure.getMessage();
  }
}
