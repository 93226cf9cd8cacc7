// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.LegacyHandle;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.TransportException;
import java.util.Base64;

/**
 * A handle as people carry it: one line of text. A C plugin's, or one of both wires, is written the
 * same way; whether it may be used, {@code connect} decides.
 */
final class HandleText {
  private HandleText() {}

  static String of(byte[] handle) {
    return PeerHandle.TEXT_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(handle);
  }

  /** Whether somebody means a handle, if perhaps a spoilt one. */
  static boolean isMeant(String text) {
    return text.strip().startsWith(PeerHandle.TEXT_PREFIX);
  }

  /**
   * @throws TransportException BAD_HANDLE, with what happened to it, and where it goes wrong
   */
  static byte[] parse(String text) throws TransportException {
    byte[] legacy = legacy(text.strip());
    if (legacy.length > 0) {
      return legacy;
    }
    try {
      return PeerHandle.parse(text).encode();
    } catch (HandleFormatException e) {
      throw new TransportException(TransportException.Reason.BAD_HANDLE, sentence(e), e);
    }
  }

  private static String sentence(HandleFormatException refused) {
    return switch (refused.fault()) {
      case OTHER_VERSION -> refused.getMessage() + ".";
      case TOO_LONG -> copyAnew("More was copied than the handle.", refused);
      case SPOILT -> copyAnew("The handle was cut, or not copied whole.", refused);
    };
  }

  private static String copyAnew(String what, HandleFormatException refused) {
    return what
        + " Copy all of the line that `mesh listen` printed, from mesh: to its end, or give an address"
        + " of that host instead ("
        + refused.getMessage()
        + ").";
  }

  /** The bytes if they begin as a C plugin's handle does; none otherwise. */
  private static byte[] legacy(String line) {
    if (!line.startsWith(PeerHandle.TEXT_PREFIX)) {
      return new byte[0];
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(line.substring(PeerHandle.TEXT_PREFIX.length()));
      return LegacyHandle.isMeant(bytes) ? bytes : new byte[0];
    } catch (IllegalArgumentException e) {
      // The message of PeerHandle's exception describes what is wrong with the text.
      return new byte[0];
    }
  }
}
