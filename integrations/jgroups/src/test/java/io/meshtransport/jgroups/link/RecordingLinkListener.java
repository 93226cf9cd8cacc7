// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.spi.TransportException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what becomes of links. */
final class RecordingLinkListener implements LinkListener {
  final List<Node> stale = new CopyOnWriteArrayList<>();
  final List<String> events = new CopyOnWriteArrayList<>();

  /** What is to happen at the next opening. */
  volatile Runnable onOpened = () -> {};

  final Set<String> left = ConcurrentHashMap.newKeySet();

  private void note(String what, String id) {
    events.add(what + " " + id);
  }

  @Override
  public void staleHandle(Node node) {
    stale.add(node);
  }

  @Override
  public void opened(String id) {
    note("opened", id);
    onOpened.run();
  }

  @Override
  public void ended(String id, TransportException why) {
    note("ended " + why.reason(), id);
  }

  @Override
  public void unreachable(String id, TransportException why) {
    note("unreached " + why.reason(), id);
  }

  @Override
  public boolean hasLeft(String id) {
    return left.contains(id);
  }
}
