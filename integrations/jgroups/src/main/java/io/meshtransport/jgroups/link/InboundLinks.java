// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.threads.ServiceThread;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.logging.Log;

/**
 * Accepts the channels that peers open, each as an {@link InboundLink}. Only a few of them at a
 * time may be of peers that have not introduced themselves, and each node has one. One {@link
 * ServiceThread}.
 */
public final class InboundLinks implements AutoCloseable {
  /** Links whose peer has not introduced itself; each has a thread and a receive. */
  public static final int MAX_UNKNOWN = 32;

  /** A link is kept at least so long although others wait: an introduction needs milliseconds. */
  private static final long UNKNOWN_NS = TimeUnit.SECONDS.toNanos(1);

  private static final Duration TICK = Duration.ofSeconds(1);
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long CLOSE_MS = 3_000;

  /** Makes a link of a channel, on this thread. */
  public interface LinkFactory {
    InboundLink link(ReceiveChannel channel) throws TransportException;
  }

  private final Listener listener;
  private final LinkFactory factory;
  private final Log log;
  private final Set<InboundLink> links = ConcurrentHashMap.newKeySet();
  private final ServiceThread service;

  /** The link from each node that has introduced itself, by its id. */
  private final Map<String, InboundLink> introduced = new HashMap<>();

  private final LongAdder refused = new LongAdder();
  private volatile boolean closing;

  public InboundLinks(Listener listener, LinkFactory welcome, Log log) {
    this.listener = listener;
    this.factory = welcome;
    this.log = log;
    service = new ServiceThread("mesh-jgroups-accept", this::acceptOne, log::error);
  }

  public void start() {
    service.start();
  }

  private void acceptOne() throws TransportException {
    try {
      awaitCapacity();
      accept(listener.accept(TICK));
    } catch (TransportException e) {
      if (!closing && e.reason() != TransportException.Reason.TIMED_OUT) {
        throw e;
      }
    } catch (RuntimeException e) {
      if (!closing) {
        throw e;
      }
    }
  }

  private void accept(ReceiveChannel channel) {
    boolean isTaken = false;
    InboundLink link = null;
    try {
      link = factory.link(channel);
      links.add(link);
      link.start();
      isTaken = true;
    } catch (TransportException e) {
      log.error("A peer's channel is refused: %s", e.summary());
    } finally {
      if (!isTaken) {
        if (link != null) {
          links.remove(link);
        }
        channel.close();
      }
    }
  }

  /**
   * Waits until another link of an unknown peer may be accepted. Links that have been silent for a
   * second are closed, the oldest first: silence must not keep others out.
   */
  private void awaitCapacity() {
    while (!closing && unknown() >= MAX_UNKNOWN) {
      links.stream()
          .filter(link -> link.peer() == null)
          .min(Comparator.comparingLong(InboundLink::sinceNs))
          .filter(eldest -> System.nanoTime() - eldest.sinceNs() > UNKNOWN_NS)
          .ifPresent(InboundLink::close);
      LockSupport.parkNanos(POLL_NS);
    }
  }

  private long unknown() {
    return links.stream().filter(link -> link.peer() == null).count();
  }

  /**
   * A peer has introduced itself over one link: of the links from the same node the one accepted
   * last is kept, although another may still carry messages.
   */
  public void introduced(InboundLink link, Node peer) {
    InboundLink ended = null;
    synchronized (introduced) {
      InboundLink other = introduced.put(peer.id(), link);
      if (other != null && other.sinceNs() - link.sinceNs() > 0) {
        introduced.put(peer.id(), other);
        ended = link;
      } else if (other != link) {
        ended = other;
      }
    }
    if (ended != null) {
      ended.close();
    }
  }

  /** The link from that node, if one is open. */
  public Optional<InboundLink> from(String id) {
    synchronized (introduced) {
      return Optional.ofNullable(introduced.get(id));
    }
  }

  /** Accepts no more channels; the accepted ones stay. Closes the listener. */
  public void stopAccepting() {
    closing = true;
    listener.close();
  }

  /** A link has ended. */
  public void ended(InboundLink link) {
    links.remove(link);
    synchronized (introduced) {
      introduced.values().remove(link);
    }
  }

  /** A link was closed for what its peer sent. */
  public void countRefused() {
    refused.increment();
  }

  public long refused() {
    return refused.sum();
  }

  public int links() {
    return links.size();
  }

  @Override
  public void close() {
    stopAccepting();
    service.end();
    service.thread().interrupt();
    List<InboundLink> ending = List.copyOf(links);
    ending.forEach(InboundLink::close);
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MS);
    try {
      service.thread().join(CLOSE_MS);
      for (InboundLink link : ending) {
        link.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
