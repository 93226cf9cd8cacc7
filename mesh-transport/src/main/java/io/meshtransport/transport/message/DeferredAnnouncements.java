// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.threads.ServiceThread;
import io.meshtransport.transport.channel.DeferringChannel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Channels whose program posted more receives at once than the peer had receives to hear of. They
 * are announced as the peer posts receives for announcements, which this end learns by polling; a
 * program that works without looking polls nothing, so a thread does it for these channels until
 * all is announced. That is a matter of one round trip, once or twice in a channel's life, so there
 * is a thread only while there is such a channel. Any thread may add one.
 */
public final class DeferredAnnouncements implements Predicate<DeferringChannel> {
  private static final Logger LOG = LogManager.getLogger(DeferredAnnouncements.class);
  private static final long FIRST_PAUSE_MS = 1;

  /** A peer that does not poll posts nothing, and needs no announcement before it does. */
  private static final long LONGEST_PAUSE_MS = 16;

  private final Set<DeferringChannel> channels = new LinkedHashSet<>();
  private long pauseMs;

  /** Null while there is nothing to do. */
  private ServiceThread thread;

  /** Answers whether the channel is looked after from now on. */
  @Override
  public synchronized boolean test(DeferringChannel channel) {
    channels.add(channel);
    pauseMs = FIRST_PAUSE_MS;
    return thread != null || isStarted();
  }

  private boolean isStarted() {
    try {
      ServiceThread started = new ServiceThread("mesh-announcements", this::pollAll, LOG::warn);
      started.start();
      thread = started;
      return true;
    } catch (OutOfMemoryError e) {
      // The next one deferred tries again, and the program's own polls announce as well.
      LOG.warn(
          "no thread to announce receives with while the program does not poll: {}",
          e.getMessage());
      return false;
    }
  }

  private void pollAll() {
    if (pause()) {
      for (DeferringChannel channel : removeAll()) {
        poll(channel);
      }
    }
  }

  /** Answers whether there is anything to do after a pause; if not, the thread ends. */
  private synchronized boolean pause() {
    if (channels.isEmpty()) {
      thread.end();
      thread = null;
      return false;
    }
    try {
      wait(pauseMs);
    } catch (InterruptedException e) {
      // No reason to stop: it ends when nothing is deferred.
      LOG.debug("interrupted while announcements are deferred");
    }
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    return true;
  }

  private synchronized List<DeferringChannel> removeAll() {
    List<DeferringChannel> removed = List.copyOf(channels);
    channels.clear();
    return removed;
  }

  /** Trouble with one channel is not the others'. */
  private void poll(DeferringChannel channel) {
    try {
      if (channel.pollDeferred()) {
        addAgain(channel);
      }
    } catch (RuntimeException | Error e) {
      LOG.warn("{}: announces its receives when its program polls next", channel.route(), e);
    }
  }

  private synchronized void addAgain(DeferringChannel channel) {
    channels.add(channel);
  }
}
