// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

/**
 * A datagram is refused. Has no stack trace, because foreign software can cause it at will; it is
 * counted, never logged.
 */
public final class MalformedDatagram extends Exception {
  private static final long serialVersionUID = 1L;

  public MalformedDatagram(String text) {
    super(text, null, false, false);
  }
}
