// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Messages to addresses on cables, as TCPPING's initial hosts are: the address is queried, and the
 * message is sent to the node there. Only the newest message for each address waits.
 */
public final class UnresolvedDestinations {
  /** Addresses queried at once. */
  private static final int MAX_ADDRESSES = 64;

  private final Seeds seeds;
  private final Directory directory;
  private final Map<InetSocketAddress, Consumer<Node>> waiting = new ConcurrentHashMap<>();

  public UnresolvedDestinations(Seeds seeds, Directory directory) {
    this.seeds = seeds;
    this.directory = directory;
  }

  /** Queries the address, so that the node there becomes known. Never blocks. */
  public void resolve(InetSocketAddress address) {
    whenKnown(address, node -> {});
  }

  /** Calls back once the node there is known, unless it is this node. Never blocks. */
  public void whenKnown(InetSocketAddress address, Consumer<Node> then) {
    if (waiting.size() >= MAX_ADDRESSES || waiting.put(address, then) != null) {
      return;
    }
    seeds
        .find(address)
        .whenComplete(
            (node, failure) -> {
              Consumer<Node> newest = waiting.remove(address);
              if (node != null && newest != null && !node.name().equals(directory.self().name())) {
                newest.accept(node);
              }
            });
  }
}
