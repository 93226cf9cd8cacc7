// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.spi.TransportException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The open listeners of one transport. Numbers them, finds the one that a handshake names, and
 * publishes the handle of the oldest that is listed, which answers peers that know an address only.
 * Any thread may call it.
 */
public final class ListenerRegistry {
  /** Makes a listener with an id. */
  @FunctionalInterface
  public interface Factory {
    MeshListener make(int id) throws TransportException;
  }

  private final Consumer<Optional<byte[]>> publish;
  private final Map<Integer, MeshListener> listeners = new ConcurrentHashMap<>();
  private final AtomicInteger nextId = new AtomicInteger(1);

  /**
   * @param publish what peers are answered from now on: a handle, or that there is no listener
   */
  public ListenerRegistry(Consumer<Optional<byte[]>> publish) {
    this.publish = publish;
  }

  /** Opens a listener with an id of its own. */
  public MeshListener open(Factory factory) throws TransportException {
    MeshListener listener = factory.make(nextId.getAndIncrement());
    listeners.put(listener.id(), listener);
    publishOldest();
    return listener;
  }

  /** The listener with an id, or null if there is none (any more). */
  public MeshListener find(int id) {
    return listeners.get(id);
  }

  /** The listener is closed. */
  public void remove(MeshListener listener) {
    listeners.remove(listener.id());
    publishOldest();
  }

  /** One call at a time, so that the newest state is what is published last. */
  public void publishOldest() {
    synchronized (listeners) {
      publish.accept(
          listeners.values().stream()
              .filter(listener -> listener.options().isListed())
              .min(Comparator.comparingInt(MeshListener::id))
              .map(MeshListener::handle));
    }
  }

  public int size() {
    return listeners.size();
  }

  public void closeAll() {
    List.copyOf(listeners.values()).forEach(MeshListener::close);
  }
}
