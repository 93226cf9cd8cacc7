// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.net.InetSocketAddress;

/**
 * What the own kernel knows about the answers of a peer's kernel on a TCP connection. Asked by
 * threads that move messages: a question makes no garbage. Guarded by the device's lock.
 */
interface TcpAckState {
  /** How a connection stands; whoever asks owns it, and {@link Question#ask} fills it in. */
  final class Row {
    /** Handed to the kernel and not acknowledged by the peer's. */
    long unacknowledgedBytes;

    /** The peer's window is closed, and the kernel asks whether it still is. */
    boolean isProbingWindow;

    /** Of the oldest unacknowledged byte so far. */
    int retransmits;

    /** Of a closed window. */
    int unansweredProbes;

    Row set(long newUnacknowledgedBytes, boolean isProbing, int newRetransmits, int newProbes) {
      unacknowledgedBytes = newUnacknowledgedBytes;
      isProbingWindow = isProbing;
      retransmits = newRetransmits;
      unansweredProbes = newProbes;
      return this;
    }
  }

  /** A question that can be asked again and again. */
  interface Question {
    /**
     * @param row takes the answer
     * @return false where the kernel does not tell; the row is then of no use
     */
    boolean ask(Row row);
  }

  /** The question how this connection stands. */
  Question about(InetSocketAddress local, InetSocketAddress remote);

  /** Nothing is asked any more. */
  void close();
}
