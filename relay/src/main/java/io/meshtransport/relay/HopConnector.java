// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.TransportException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Opens the connections of a relay to those neighbours whose ids are higher than its own, again
 * after growing pauses while it fails. Used by the relay's own thread.
 */
final class HopConnector {
  private static final Logger LOG = LogManager.getLogger(HopConnector.class);
  private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_PAUSE_NS = TimeUnit.SECONDS.toNanos(5);

  private final Mesh mesh;
  private final NodeNumber self;
  private final Consumer<Runnable> later;
  private final Consumer<Optional<Connection>> ended;
  private final Map<NodeNumber, Attempt> attempts = new HashMap<>();
  private boolean isClosed;

  /** When to connect to a neighbour again. */
  private static final class Attempt {
    /** Null while none is under way. */
    ChannelFuture<Connection> future;

    long pauseNs = FIRST_PAUSE_NS;
    long atNs;

    Attempt(long atNs) {
      this.atNs = atNs;
    }
  }

  /**
   * @param later runs a task soon, on the relay's own thread
   * @param ended gets, there, what each attempt came to: the connection, which is the receiver's to
   *     close, or nothing; it may come after {@link #close}
   */
  HopConnector(
      Mesh mesh, NodeNumber self, Consumer<Runnable> later, Consumer<Optional<Connection>> ended) {
    this.mesh = mesh;
    this.self = self;
    this.later = later;
    this.ended = ended;
  }

  /**
   * Begins the attempts that are due.
   *
   * @param neighbours that take chunks; attempts at others are forgotten
   * @param isHop whether there is a connection to a neighbour already
   * @return the clock reading at which the next attempt is due, {@code limitNs} if none is before
   */
  long connect(
      Map<NodeNumber, MeshNode> neighbours, Predicate<NodeNumber> isHop, long nowNs, long limitNs) {
    // One that is under way is kept: a second beside it would be another connection, and each end
    // would close the one that it has had for longer.
    attempts
        .entrySet()
        .removeIf(each -> !neighbours.containsKey(each.getKey()) && each.getValue().future == null);
    long dueNs = limitNs;
    for (Map.Entry<NodeNumber, MeshNode> each : neighbours.entrySet()) {
      NodeNumber peer = each.getKey();
      if (isClosed || self.compareTo(peer) >= 0 || isHop.test(peer)) {
        continue;
      }
      Attempt attempt = attempts.computeIfAbsent(peer, id -> new Attempt(nowNs));
      if (attempt.future != null) {
        continue;
      }
      if (attempt.atNs - nowNs <= 0) {
        begin(attempt, each.getValue(), nowNs);
      }
      if (attempt.future == null && attempt.atNs - dueNs < 0) {
        dueNs = attempt.atNs;
      }
    }
    return dueNs;
  }

  private void begin(Attempt attempt, MeshNode to, long nowNs) {
    attempt.atNs = nowNs + attempt.pauseNs;
    attempt.pauseNs = Math.min(2 * attempt.pauseNs, LAST_PAUSE_NS);
    Optional<byte[]> handle = mesh.lookup(to, RelayPicture.service(to).orElseThrow());
    if (handle.isEmpty()) {
      return;
    }
    try {
      attempt.future = mesh.transport().connect(handle.get(), ConnectionHop.OPTIONS);
      attempt.future.whenComplete(
          (connection, why) -> later.accept(() -> ended(to, attempt, connection, why)));
    } catch (TransportException | IllegalStateException e) {
      ended(to, attempt, null, e);
    }
  }

  private void ended(MeshNode to, Attempt attempt, Connection connection, Throwable why) {
    attempt.future = null;
    if (connection == null) {
      LOG.info("{}: no neighbour of the relay yet: {}", to.peer(), why.getMessage());
    }
    ended.accept(Optional.ofNullable(connection));
  }

  /** There is a connection to the neighbour: when it is lost, the next attempt is made at once. */
  void connected(NodeNumber peer, long nowNs) {
    Attempt attempt = attempts.get(peer);
    if (attempt != null) {
      attempt.pauseNs = FIRST_PAUSE_NS;
      attempt.atNs = nowNs;
    }
  }

  /** Begins no attempt any more; one that succeeds in spite of it is reported. */
  void close() {
    isClosed = true;
    for (Attempt attempt : attempts.values()) {
      if (attempt.future != null) {
        attempt.future.cancel(false);
      }
    }
  }
}
