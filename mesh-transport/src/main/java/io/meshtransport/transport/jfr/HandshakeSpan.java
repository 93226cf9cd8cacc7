// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jfr;

import io.meshtransport.spi.TransportException.Reason;

/** A handshake that has begun, for the flight recorder. One of its two ends is reported once. */
public interface HandshakeSpan {
  /** Nothing records handshakes. */
  HandshakeSpan NONE =
      new HandshakeSpan() {
        @Override
        public void ready(String peerName) {
          // Nothing records it.
        }

        @Override
        public void failed(Reason why, String text) {
          // Nothing records it.
        }
      };

  /**
   * Both ends are ready.
   *
   * @param peerName name of the peer; empty if it has none
   */
  void ready(String peerName);

  /** It has failed, or was given up because another one was faster. */
  void failed(Reason why, String text);
}
