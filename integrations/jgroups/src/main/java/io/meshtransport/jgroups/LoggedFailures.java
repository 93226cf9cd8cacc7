// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Directory;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which failures of connections the log has a line for already. Any thread may call it. */
final class LoggedFailures {
  /** Nodes whose last report is remembered; with more all are reported again. */
  private static final int MAX_REPORTED = 2 * Directory.MAX_NODES;

  private final Map<String, String> reported = new ConcurrentHashMap<>();

  /**
   * Whether the last report about that node gave another reason, or there was none; from now on
   * this is the last report.
   */
  boolean isNews(String node, TransportException why) {
    String reason = why.reason().name();
    if (reported.size() > MAX_REPORTED) {
      reported.clear();
    }
    return !reason.equals(reported.put(node, reason));
  }

  /** A connection to that node was opened, or the node was removed: the next failure is news. */
  void clear(String node) {
    reported.remove(node);
  }

  /** Whether the connection was closed in an orderly way, here or by the peer. */
  static boolean isOrderly(TransportException why) {
    return why.reason() == Reason.CLOSED || why.reason() == Reason.PEER_CLOSED;
  }
}
