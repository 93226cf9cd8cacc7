package io.meshtransport.cli;

import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.TransportException;

/** A handle as people carry it: one line of text. */
final class HandleText {
  private HandleText() {}

  static String of(byte[] handle) {
    try {
      return PeerHandle.decode(handle).toText();
    } catch (HandleFormatException e) {
      throw new IllegalStateException("our own listener's handle is unreadable", e);
    }
  }

  /**
   * @throws TransportException BAD_HANDLE, with the place where it goes wrong
   */
  static byte[] parse(String text) throws TransportException {
    try {
      return PeerHandle.parse(text).encode();
    } catch (HandleFormatException e) {
      throw new TransportException(TransportException.Reason.BAD_HANDLE, e.getMessage(), e);
    }
  }
}
