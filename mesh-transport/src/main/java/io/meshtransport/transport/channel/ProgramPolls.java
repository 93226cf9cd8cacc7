// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;

/**
 * The polls of a program that looks for the ends of requests and for notices itself, on one
 * channel: a poller that has the channel excludes them. Each acquires the channel's lock and
 * progresses the channel.
 */
public final class ProgramPolls {
  private final ChannelCore core;

  ProgramPolls(ChannelCore core) {
    this.core = core;
  }

  /** As {@link Channel#test(long, long[])}. */
  long test(long request, long[] lengthsBytes) {
    core.lock.lock();
    try {
      core.attendance.requireNoPoller();
      int slot = core.progressFor(request, lengthsBytes);
      long outcome = core.requests.outcome(slot);
      if (outcome == Channel.PENDING) {
        core.events().queried(slot);
        return Channel.PENDING;
      }
      if (outcome != Channel.FAILED && lengthsBytes != null) {
        core.events().lengths(slot, lengthsBytes);
      }
      core.requests.end(slot);
      return outcome;
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link Channel#detach}. */
  void detach(long request) {
    core.lock.lock();
    try {
      core.attendance.requireNoPoller();
      int slot = core.requests.slot(request);
      if (core.requests.outcome(slot) == Channel.PENDING) {
        core.events().queried(slot);
      }
      core.requests.detach(slot);
    } finally {
      core.lock.unlock();
    }
  }

  /** As {@link Connection#pollNotices}. */
  public int pollNotices(Connection connection, Completions into) {
    core.lock.lock();
    try {
      core.attendance.requireNoPoller();
      into.clear();
      NoticeQueue notices = core.arrivals.notices;
      if (notices.size() == 0) {
        core.progress();
      }
      while (notices.size() > 0 && !into.isFull()) {
        notices.pollInto(into, connection);
      }
      if (into.count() > 0) {
        core.noticesPolled();
      }
      return into.count();
    } finally {
      core.lock.unlock();
    }
  }
}
