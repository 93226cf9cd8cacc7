// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * What the device of one NIC reported of itself lately: a port that went down, addresses that came
 * or went, a failure. No thread waits for it. It is read when a channel is set up, when one breaks,
 * and while a pending request meets silence, which is when it explains something; each event is
 * logged once. Any thread may call it.
 */
public final class DeviceEvents {
  /** Enough for a port that goes up and down a few times. */
  private static final int KEPT = 16;

  /** A device that never stops reporting must not keep its caller. */
  private static final int MOST_READ_AT_ONCE = 64;

  /** What is older has little to do with a failure of now. */
  private static final long RECENT_NS = TimeUnit.SECONDS.toNanos(30);

  private static final double NS_PER_SECOND = 1e9;
  private static final Logger LOG = LogManager.getLogger(DeviceEvents.class);

  /** As {@link io.meshtransport.verbs.VerbsDevice#pollAsyncEvent}. */
  public interface Source {
    Optional<AsyncEvent> next() throws VerbsException;
  }

  private record Reported(AsyncEvent event, long atNs) {}

  private final String label;
  private final int port;
  private final Source source;
  private final Deque<Reported> kept = new ArrayDeque<>();
  private boolean isUnreadable;
  private boolean isDeviceLost;

  /**
   * @param label of the NIC
   * @param port of the NIC: events of the device's other ports do not concern it
   */
  public DeviceEvents(String label, int port, Source source) {
    this.label = label;
    this.port = port;
    this.source = source;
  }

  /**
   * Reads what has been reported since the last look. Never waits.
   *
   * @param nowNs clock of System.nanoTime; a report counts from when it is read
   */
  public synchronized void poll(long nowNs) {
    if (isUnreadable) {
      return;
    }
    try {
      Optional<AsyncEvent> next = source.next();
      for (int read = 1; next.isPresent(); read++) {
        note(next.get(), nowNs);
        next = read < MOST_READ_AT_ONCE ? source.next() : Optional.empty();
      }
    } catch (VerbsException e) {
      // Said once; channels go on without the device's own word on what happens to them.
      isUnreadable = true;
      LOG.warn("{}: the device's events cannot be read: {}", label, e.getMessage());
    }
  }

  private void note(AsyncEvent event, long nowNs) {
    if (isOfPort(event.type()) && event.subject() != port) {
      return;
    }
    isDeviceLost |= event.type() == AsyncEvent.Type.DEVICE_FATAL;
    if (kept.size() == KEPT) {
      kept.remove();
    }
    kept.add(new Reported(event, nowNs));
    LOG.log(level(event.type()), "{}: the device reported: {}", label, describe(event));
  }

  private static boolean isOfPort(AsyncEvent.Type type) {
    return switch (type) {
      case PORT_ACTIVE, PORT_ERR, GID_CHANGE -> true;
      default -> false;
    };
  }

  private static Level level(AsyncEvent.Type type) {
    return switch (type) {
      case DEVICE_FATAL, PORT_ERR, CQ_ERR -> Level.WARN;
      case PORT_ACTIVE, GID_CHANGE -> Level.INFO;
      // Of one queue pair: the channel's own failure tells the rest.
      default -> Level.DEBUG;
    };
  }

  private static String describe(AsyncEvent event) {
    return "%s (%s%s)"
        .formatted(
            event.type().meaning(),
            event.type(),
            event.subject() == 0 ? "" : " of " + event.subject());
  }

  /** Whether the device said that it has failed: nothing on it works until it is opened anew. */
  public synchronized boolean isDeviceLost() {
    return isDeviceLost;
  }

  /**
   * What was reported in the last half minute, oldest first, as a sentence; empty if nothing.
   *
   * @param queuePairNumber the channel's own: those of other queue pairs are left out
   */
  public synchronized String since(long nowNs, int queuePairNumber) {
    String list =
        kept.stream()
            .filter(each -> nowNs - each.atNs() <= RECENT_NS)
            .filter(each -> concerns(each.event(), queuePairNumber))
            .map(each -> inWords(each.event().type(), nowNs - each.atNs()))
            .collect(Collectors.joining(", "));
    return list.isEmpty() ? "" : "The device reported: " + list + ".";
  }

  /** Whether a queue pair was reported in the last half minute to have refused a peer's access. */
  public synchronized boolean hasRefused(long nowNs, int queuePairNumber) {
    return kept.stream()
        .filter(each -> nowNs - each.atNs() <= RECENT_NS)
        .map(Reported::event)
        .anyMatch(
            event ->
                event.type() == AsyncEvent.Type.QP_ACCESS_ERR
                    && event.subject() == queuePairNumber);
  }

  private static boolean concerns(AsyncEvent event, int queuePairNumber) {
    return switch (event.type()) {
      case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR -> event.subject() == queuePairNumber;
      case PORT_ACTIVE, PORT_ERR, GID_CHANGE, DEVICE_FATAL, CQ_ERR -> true;
      // Nothing that breaks a channel.
      default -> false;
    };
  }

  /** Events carry no time of their own: what is known is when they were read. */
  private static String inWords(AsyncEvent.Type type, long readNsAgo) {
    String ago =
        readNsAgo == 0
            ? ""
            : String.format(Locale.ROOT, ", read %.1f s ago", readNsAgo / NS_PER_SECOND);
    return type.meaning() + " (" + type + ago + ")";
  }
}
