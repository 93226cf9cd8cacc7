// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;

/**
 * Why something failed, as an event shows it.
 *
 * @param reason for programs; null if nothing failed
 * @param text for people
 */
public record FailureText(Reason reason, String text) {
  /** Nothing failed. */
  public static final FailureText NONE = new FailureText(null, "");

  /** What a failure says. */
  public static FailureText of(TransportException why) {
    return new FailureText(why.reason(), why.getMessage());
  }

  /** The reason's name; empty if nothing failed. */
  String reasonName() {
    return reason == null ? "" : reason.name();
  }
}
