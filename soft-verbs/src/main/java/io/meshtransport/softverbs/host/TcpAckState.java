// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import java.net.InetSocketAddress;

/**
 * What the own kernel knows about the answers of a peer's kernel on a TCP connection. Queried by
 * threads that move messages: a query makes no garbage. Guarded by the device's lock.
 */
public interface TcpAckState {
  /** The state of a connection; the caller owns it, and {@link Query#read} fills it in. */
  final class Row {
    /** Handed to the kernel and not acknowledged by the peer's. */
    public long unacknowledgedBytes;

    /** The peer's window is closed, and the kernel probes whether it still is. */
    public boolean isProbingWindow;

    /** Of the oldest unacknowledged byte so far. */
    public int retransmits;

    /** Of a closed window. */
    public int unansweredProbes;

    public Row set(
        long newUnacknowledgedBytes, boolean isProbing, int newRetransmits, int newProbes) {
      unacknowledgedBytes = newUnacknowledgedBytes;
      isProbingWindow = isProbing;
      retransmits = newRetransmits;
      unansweredProbes = newProbes;
      return this;
    }
  }

  /** Reads the state of one connection, again and again. */
  interface Query {
    /**
     * @param row to be filled in
     * @return false where the kernel does not report the connection; the row is then of no use
     */
    boolean read(Row row);
  }

  /** A query for the state of this connection. */
  Query queryFor(InetSocketAddress local, InetSocketAddress remote);

  /** No query is used any more. */
  void close();
}
