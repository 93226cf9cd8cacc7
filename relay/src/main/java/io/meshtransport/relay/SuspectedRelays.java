// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The nodes between the ends of a flow that may have stopped: the paths over them had no answer,
 * though their cables are there. The flow avoids them while it has another path. Confined to the
 * relay's thread.
 */
final class SuspectedRelays {
  /** How long a relay stays suspected; one that goes on has its flows back when paths change. */
  static final long LIMIT_NS = FlowPatience.LIMIT_NS;

  private final Map<NodeNumber, Long> sinceNs = new HashMap<>();

  /** A path over some relays has no answer. */
  void add(Collection<NodeNumber> relays, long nowNs) {
    relays.forEach(each -> sinceNs.put(each, nowNs));
  }

  /** Only these are suspected: all paths without the others have been tried. */
  void beginAgain(Collection<NodeNumber> relays, long nowNs) {
    sinceNs.clear();
    add(relays, nowNs);
  }

  /** A chunk has come over the nodes of its route. Makes no garbage while none is suspected. */
  void heard(ByteBuffer chunk) {
    if (!sinceNs.isEmpty()) {
      removeIf(relay -> isBetween(chunk, relay));
    }
  }

  private static boolean isBetween(ByteBuffer chunk, NodeNumber relay) {
    for (int i = 1; i < ChunkHeader.hops(chunk); i++) {
      if (ChunkHeader.isNode(chunk, i, relay)) {
        return true;
      }
    }
    return false;
  }

  /** Drops those that something speaks for. */
  void removeIf(Predicate<NodeNumber> isCleared) {
    sinceNs.keySet().removeIf(isCleared);
  }

  /** Those that are suspected now. */
  Set<NodeNumber> at(long nowNs) {
    sinceNs.values().removeIf(each -> nowNs - each > LIMIT_NS);
    return Set.copyOf(sinceNs.keySet());
  }
}
