// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The target of a {@link Dial} and its deadline. Its text names the target in logs and errors. */
interface DialTarget {
  /** Address to dial from. */
  InetAddress local();

  /** Address and port to dial. */
  InetSocketAddress remote();

  /** The deadline, on the clock of the handshaker. */
  long deadlineNs();

  /** What the dial is for, for logs and errors. */
  default String purpose() {
    return "connect to " + this;
  }

  /** Whether an idle connection of an earlier handshake may be used. */
  default boolean canReuseConnection() {
    return false;
  }

  /** An attempt that the peer ends without an answer later than that is not repeated. */
  default long maxDropNs() {
    return Long.MAX_VALUE;
  }

  /** Whether a BUSY peer is tried again until the deadline, rather than a few times. */
  default boolean retriesBusyPeerUntilDeadline() {
    return false;
  }
}
