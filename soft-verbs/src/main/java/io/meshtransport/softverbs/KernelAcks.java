package io.meshtransport.softverbs;

import java.net.InetSocketAddress;
import java.util.Optional;

/** What the own kernel knows about the answers of a peer's kernel on a TCP connection. */
interface KernelAcks {
  /**
   * How a connection stands.
   *
   * @param unacknowledgedBytes handed to the kernel and not acknowledged by the peer's
   * @param isProbingWindow the peer's window is closed, and the kernel asks whether it still is
   * @param retransmits of the oldest unacknowledged byte so far
   * @param unansweredProbes of a closed window
   */
  record Row(
      long unacknowledgedBytes, boolean isProbingWindow, int retransmits, int unansweredProbes) {}

  /** The row of a connection; empty where the kernel does not tell. */
  Optional<Row> find(InetSocketAddress local, InetSocketAddress remote);
}
