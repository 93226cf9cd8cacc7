// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Messages to addresses on cables, as TCPPING's initial hosts are: the address is asked who is
 * there, and the message goes to that node. Only the newest for each address waits.
 */
public final class UnresolvedDestinations {
  /** Addresses asked at once. */
  private static final int MAX_ADDRESSES = 64;

  private final Seeds asking;
  private final Directory directory;
  private final Map<InetSocketAddress, Consumer<Node>> waiting = new ConcurrentHashMap<>();

  public UnresolvedDestinations(Seeds asking, Directory directory) {
    this.asking = asking;
    this.directory = directory;
  }

  /** Asks who is there, so that the node becomes known. Never blocks. */
  public void resolve(InetSocketAddress address) {
    whenKnown(address, node -> {});
  }

  /** Calls back once it is known who is there, unless that is this node. Never blocks. */
  public void whenKnown(InetSocketAddress address, Consumer<Node> then) {
    if (waiting.size() >= MAX_ADDRESSES || waiting.put(address, then) != null) {
      return;
    }
    asking
        .find(address)
        .whenComplete(
            (node, failure) -> {
              Consumer<Node> newest = waiting.remove(address);
              if (node != null
                  && newest != null
                  && !node.overlay().equals(directory.self().overlay())) {
                newest.accept(node);
              }
            });
  }
}
