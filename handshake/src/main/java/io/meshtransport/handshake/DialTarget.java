// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Where a {@link Dial} goes, and until when; its text is how logs and errors name the path. */
interface DialTarget {
  /** Address to dial from. */
  InetAddress local();

  /** Address and port to dial. */
  InetSocketAddress remote();

  /** When to give up, on the clock of the handshaker. */
  long deadlineNs();

  /** What is wanted there, for logs and errors. */
  default String purpose() {
    return "connect to " + this;
  }

  /** Whether a connection that was kept from an earlier handshake will do. */
  default boolean canReuseConnection() {
    return false;
  }

  /** Whether a peer that is BUSY is tried until the deadline, rather than a few times. */
  default boolean retriesBusyPeerUntilDeadline() {
    return false;
  }
}
