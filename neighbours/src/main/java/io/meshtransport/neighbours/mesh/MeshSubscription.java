// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A listener and the events that wait for it, at most {@link MeshEventListener#MAX_WAITING} of
 * them. Beyond, none is added: the listener is told what is different once it has heard all that
 * wait. Any thread may offer events; the executor calls the listener, without a lock.
 */
final class MeshSubscription implements Mesh.Subscription {
  private static final Logger LOG = LogManager.getLogger(MeshSubscription.class);

  /**
   * What it is told next: FOLLOWING the queue; BEHIND the mesh, until the queue is empty; nothing
   * once it has ENDED.
   */
  private enum State {
    FOLLOWING,
    BEHIND,
    ENDED
  }

  private final MeshEventListener listener;
  private final Executor executor;
  private final Supplier<MeshSnapshot> present;
  private final Consumer<MeshSubscription> onClose;
  private final Queue<Consumer<MeshEventListener>> events = new ArrayDeque<>();
  private MeshSnapshot told = MeshSnapshot.EMPTY;
  private State state = State.FOLLOWING;

  /** Whether the executor has it, or calls the listener. */
  private boolean isScheduled;

  /**
   * @param executor calls listeners, one at a time
   * @param present the mesh as it is now
   */
  MeshSubscription(
      MeshEventListener listener,
      Executor executor,
      Supplier<MeshSnapshot> present,
      Consumer<MeshSubscription> onClose) {
    this.listener = listener;
    this.executor = executor;
    this.present = present;
    this.onClose = onClose;
  }

  /** The mesh has changed. Never blocks. */
  void offer(MeshSnapshot now) {
    if (add(now)) {
      schedule();
    }
  }

  /** Something has happened that leaves no trace in a snapshot. Never blocks. */
  void offer(Consumer<MeshEventListener> event) {
    if (add(event)) {
      schedule();
    }
  }

  private synchronized boolean add(MeshSnapshot now) {
    if (state != State.FOLLOWING) {
      return false;
    }
    List<Consumer<MeshEventListener>> more = now.since(told);
    // All that is there already is no more than the mesh's own bounds allow.
    if (!events.isEmpty() && events.size() + more.size() > MeshEventListener.MAX_WAITING) {
      fallBehind();
      return false;
    }
    events.addAll(more);
    told = now;
    return mustSchedule();
  }

  private synchronized boolean add(Consumer<MeshEventListener> event) {
    if (state != State.FOLLOWING) {
      return false;
    }
    if (events.size() >= MeshEventListener.MAX_WAITING) {
      fallBehind();
      return false;
    }
    events.add(event);
    return mustSchedule();
  }

  private void fallBehind() {
    state = State.BEHIND;
    LOG.warn(
        "{} events of the mesh wait for {}: it gets what is different once it has heard them",
        events.size(),
        listener);
  }

  private boolean mustSchedule() {
    boolean isNew = !isScheduled && !events.isEmpty();
    isScheduled |= isNew;
    return isNew;
  }

  private void schedule() {
    try {
      executor.execute(this::callAll);
    } catch (RejectedExecutionException e) {
      LOG.debug("the mesh is closed: events are not reported");
    }
  }

  private void callAll() {
    for (Consumer<MeshEventListener> event = next(); event != null; event = next()) {
      try {
        event.accept(listener);
      } catch (RuntimeException | Error e) {
        LOG.warn("a listener of the mesh failed; it will get the next event", e);
      }
    }
  }

  /** The next event; null if none waits. */
  private synchronized Consumer<MeshEventListener> next() {
    if (events.isEmpty() && state == State.BEHIND) {
      MeshSnapshot now = present.get();
      events.addAll(now.since(told));
      told = now;
      state = State.FOLLOWING;
    }
    Consumer<MeshEventListener> next = events.poll();
    isScheduled = next != null;
    return next;
  }

  /** How many events wait. */
  synchronized int waiting() {
    return events.size();
  }

  @Override
  public void close() {
    synchronized (this) {
      state = State.ENDED;
      events.clear();
    }
    onClose.accept(this);
  }
}
