// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The nodes between the ends of a flow that may have stopped: the paths over them had no answer,
 * though their cables are there. The flow avoids them while it has another path. Confined to the
 * relay's thread.
 */
final class SuspectedRelays {
  /** How long a relay stays suspected; one that goes on has its flows back when paths change. */
  static final long LIMIT_NS = FlowPatience.LIMIT_NS;

  private record Suspicion(NodeNumber relay, long sinceNs) {}

  /** Walked by index: an iterator would be garbage for each chunk. */
  private final List<Suspicion> suspicions = new ArrayList<>(0);

  /** A path over some relays has no answer. */
  void add(Collection<NodeNumber> relays, long nowNs) {
    removeIf(relays::contains);
    relays.forEach(each -> suspicions.add(new Suspicion(each, nowNs)));
  }

  /** Only these are suspected: all paths without the others have been tried. */
  void beginAgain(Collection<NodeNumber> relays, long nowNs) {
    suspicions.clear();
    add(relays, nowNs);
  }

  /** A chunk has come over the nodes of its route. Makes no garbage. */
  void heard(ByteBuffer chunk, long nowNs) {
    for (int i = suspicions.size() - 1; i >= 0; i--) {
      Suspicion each = suspicions.get(i);
      if (isOver(each, nowNs) || isBetween(chunk, each.relay())) {
        suspicions.remove(i);
      }
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

  private static boolean isOver(Suspicion suspicion, long nowNs) {
    return nowNs - suspicion.sinceNs() > LIMIT_NS;
  }

  /** Suspects some relays no more. */
  void removeIf(Predicate<NodeNumber> isCleared) {
    suspicions.removeIf(each -> isCleared.test(each.relay()));
  }

  /** Those that are suspected now. */
  Set<NodeNumber> at(long nowNs) {
    suspicions.removeIf(each -> isOver(each, nowNs));
    return suspicions.stream().map(Suspicion::relay).collect(Collectors.toUnmodifiableSet());
  }
}
