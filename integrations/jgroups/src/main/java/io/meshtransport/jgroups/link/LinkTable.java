// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jgroups.stack.IpAddress;

/**
 * The outbound links of one node, by the id of the peer, and a cache of those that have sent
 * messages by its overlay address. Also the share of the send buffers that one link may use, which
 * depends on their number. Any thread may call it.
 */
final class LinkTable {
  private final int buffers;
  private final Map<String, OutboundLink> byId = new ConcurrentHashMap<>();
  private final Map<IpAddress, OutboundLink> byOverlay = new ConcurrentHashMap<>();
  private volatile int share;
  private boolean isClosed;

  /**
   * @param buffers send buffers of all links together
   */
  LinkTable(int buffers) {
    this.buffers = buffers;
    share = shareOf(0);
  }

  private int shareOf(int links) {
    return Math.max(1, Math.min(InFlightSends.MAX_SENDS, buffers / Math.max(2, links)));
  }

  /** Buffers that one link may have in its backlog, or in flight. */
  int share() {
    return share;
  }

  Collection<OutboundLink> all() {
    return byId.values();
  }

  /** Null if there is none. */
  OutboundLink withId(String id) {
    return byId.get(id);
  }

  /** Null if there is none. Allocates nothing. */
  OutboundLink cached(IpAddress overlay) {
    return byOverlay.get(overlay);
  }

  void cache(IpAddress overlay, OutboundLink link) {
    byOverlay.put(overlay, link);
  }

  void uncache(IpAddress overlay) {
    byOverlay.remove(overlay);
  }

  void uncache(IpAddress overlay, OutboundLink link) {
    byOverlay.remove(overlay, link);
  }

  /** The link with that id, made if there is none; null once the table is closed. */
  synchronized OutboundLink withId(String id, Supplier<OutboundLink> make) {
    if (isClosed) {
      return null;
    }
    OutboundLink link = byId.get(id);
    if (link == null) {
      link = make.get();
      byId.put(id, link);
      share = shareOf(byId.size());
    }
    return link;
  }

  /** Removes a link; another one to the same node, made meanwhile, stays. */
  void remove(OutboundLink link) {
    synchronized (this) {
      byId.remove(link.id(), link);
      share = shareOf(byId.size());
    }
    byOverlay.values().removeIf(other -> other == link);
  }

  /** Removes all links; from now on there are none. */
  synchronized List<OutboundLink> close() {
    isClosed = true;
    List<OutboundLink> removed = List.copyOf(byId.values());
    byId.clear();
    byOverlay.clear();
    return removed;
  }
}
