// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;

/**
 * A frame is refused; thrown by its decoder and answered by the state machine. Has no stack trace,
 * because foreign software can cause it at will; it is counted, never logged.
 */
final class WireException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  WireException(Reason reason, String text) {
    super(text, null, false, false);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}
