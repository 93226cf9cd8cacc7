// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;

/**
 * A frame that is refused, from the place that found out to the state machine that answers. Without
 * a stack trace: strangers cause it at will, and it is counted, never logged.
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
