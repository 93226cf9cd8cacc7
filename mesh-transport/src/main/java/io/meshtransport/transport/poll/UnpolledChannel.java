// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.spi.Counter;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsException;

/** A channel that is at no poller, as the {@link ProgressThread} sees it. */
final class UnpolledChannel extends Watched implements ChannelAttendant {
  private final ProgressThread thread;
  private final ChannelCore core;
  private final EventAttachment attachment;

  /** Written with the channel's lock, as the next. */
  private volatile boolean isAttached;

  /** Whether the device that carries the channel now reports its events here, while attached. */
  private volatile boolean isHeard;

  /** Whether a poller has the channel now. Written with the channel's lock. */
  private volatile boolean isReplaced;

  /** Whether attaching has failed: the thread then polls again and again. Confined to it. */
  private boolean cannotAttach;

  UnpolledChannel(ProgressThread thread, ChannelCore core) {
    this.thread = thread;
    this.core = core;
    this.attachment = new EventAttachment(core, this);
  }

  @Override
  public void deferred() {
    thread.watch(this);
  }

  @Override
  long polls() {
    return core.requests.counts().get(Counter.POLLS);
  }

  @Override
  boolean isAwaited() {
    return core.isAwaited();
  }

  @Override
  boolean isAttached() {
    return isAttached && isHeard;
  }

  @Override
  boolean progressUnpolled(ProgressThread by) {
    if (!core.lock.tryLock()) {
      return true;
    }
    try {
      if (isReplaced) {
        return false;
      }
      boolean isMore = core.progressUnpolled();
      boolean needsEvents = isMore || core.answersPeer();
      if (needsEvents && !isAttended && (isAttached || attach(by))) {
        core.polling.armAll();
        isMore = core.progressUnpolled();
        needsEvents = isMore || core.answersPeer();
      }
      if (!needsEvents) {
        detachLocked();
      }
      isHeard = attachment.isHeard();
      return isMore || !isHeard;
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  boolean isPermanent() {
    return !isReplaced && core.answersPeer();
  }

  /** With the channel's lock. */
  private boolean attach(ProgressThread by) {
    if (!cannotAttach) {
      try {
        CompletionEvents events = by.events(core.polling.primary().nic().device());
        attachment.attach(events);
        isAttached = true;
      } catch (VerbsException e) {
        by.cannotAttach(core.route, e);
        cannotAttach = true;
      }
    }
    return isAttached;
  }

  @Override
  void detach() {
    // Other events may be to be had next time.
    cannotAttach = false;
    if (isAttached) {
      core.lock.lock();
      try {
        detachLocked();
      } finally {
        core.lock.unlock();
      }
    }
  }

  private void detachLocked() {
    if (isAttached) {
      isAttached = false;
      attachment.detach();
      // A thread of the program may have begun to wait for an event that was reported here.
      core.polling.primary().events().wakeUp();
    }
  }

  @Override
  public void joined(VerbsEndpoint endpoint) {
    attachment.joined(endpoint);
  }

  @Override
  public void replaced() {
    isReplaced = true;
    detachLocked();
  }
}
