package io.meshtransport.jgroups;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jgroups.logging.Log;

/** Takes the channels that peers open, each as a {@link LinkIn}. One thread, ended by closing. */
final class Reception implements AutoCloseable {
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final long CLOSE_MS = 3_000;

  /** Makes a link of a channel, on this thread. */
  interface Welcome {
    LinkIn link(ReceiveChannel channel) throws TransportException;
  }

  private final Listener listener;
  private final Welcome welcome;
  private final Log log;
  private final Set<LinkIn> links = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private volatile boolean closing;

  Reception(Listener listener, Welcome welcome, Log log) {
    this.listener = listener;
    this.welcome = welcome;
    this.log = log;
    thread = new Thread(this::run, "mesh-jgroups-accept");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!closing) {
      try {
        take(listener.accept(TICK));
      } catch (TransportException e) {
        if (!closing && e.reason() != TransportException.Reason.TIMED_OUT) {
          log.error("MESH accepts no peers any more: %s", e.summary());
          return;
        }
      } catch (IllegalStateException e) {
        if (!closing) {
          throw e;
        }
      }
    }
  }

  private void take(ReceiveChannel channel) {
    try {
      LinkIn link = welcome.link(channel);
      links.add(link);
      link.start();
    } catch (TransportException e) {
      log.error("A peer's channel is turned away: %s", e.summary());
      channel.close();
    }
  }

  /** Takes no channel any more; those taken stay. Closes the listener. */
  void refuse() {
    closing = true;
    listener.close();
  }

  /** A link is over. */
  void ended(LinkIn link) {
    links.remove(link);
  }

  int links() {
    return links.size();
  }

  @Override
  public void close() {
    refuse();
    thread.interrupt();
    List<LinkIn> ending = List.copyOf(links);
    ending.forEach(LinkIn::close);
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MS);
    try {
      thread.join(CLOSE_MS);
      for (LinkIn link : ending) {
        link.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
