package io.meshtransport.jgroups;

import io.meshtransport.spi.TransportException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what becomes of links. */
final class RecordingFate implements Links.Fate {
  final List<Node> stale = new CopyOnWriteArrayList<>();
  final List<String> events = new CopyOnWriteArrayList<>();

  final Set<String> left = ConcurrentHashMap.newKeySet();

  private void note(String what, byte[] handle) {
    events.add(what + " " + new String(handle, StandardCharsets.UTF_8));
  }

  @Override
  public void stale(Node node) {
    stale.add(node);
  }

  @Override
  public void opened(byte[] handle) {
    note("opened", handle);
  }

  @Override
  public void ended(byte[] handle, TransportException why) {
    note("ended " + why.reason(), handle);
  }

  @Override
  public void unreached(byte[] handle, TransportException why) {
    note("unreached " + why.reason(), handle);
  }

  @Override
  public boolean hasLeft(byte[] handle) {
    return left.contains(new String(handle, StandardCharsets.UTF_8));
  }
}
