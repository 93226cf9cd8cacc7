// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import io.meshtransport.spi.Route;
import io.meshtransport.threads.ServiceThread;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The one thread of a transport that polls what has something to move along while its program does
 * not poll it: a send whose receive is advertised later, an announcement that waits for the peer's
 * receives, a receive that the peer takes back, a goodbye. It sleeps until there is such a thing,
 * then until that has an event; the events of a poller it fetches at each scan.
 *
 * <p>What the program polls or waits for is left to the program: the thread compares a count every
 * few milliseconds, without a lock, and looks for itself at one of {@link #MAX_ATTENDED_SCANS}.
 * Devices in software are left to those who drive them.
 *
 * <p>Any thread may call {@link #watch}; the rest is confined to the thread.
 */
public final class ProgressThread implements AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(ProgressThread.class);

  /** Doubled with each scan. What a program does not poll for so long, it may not poll at all. */
  private static final long FIRST_PAUSE_NS = 1_000_000;

  private static final long MAX_PAUSE_NS = 32_000_000;

  /** Where all have events: for deadlines and silent peers. */
  private static final long MAX_PAUSE_WITH_EVENTS_NS = 256_000_000;

  /** After so many scans of something that its program polls it is asked whether it needs this. */
  private static final int MAX_ATTENDED_SCANS = 16;

  private static final long NOTHING_NS = 60_000_000_000L;

  private final boolean isOff;
  private final Supplier<Optional<VerbsDevice>> devices;
  private final ServiceThread service;

  /** Guarded by this, as the next two. */
  private Watched submitted;

  private boolean isStarted;
  private boolean isClosed;
  private final List<Watched> watched = new ArrayList<>();
  private volatile CompletionEvents events;

  /** Whether those are of the first channel's device, because the transport had no NIC. */
  private boolean areEventsProvisional;

  private boolean isEventFailureLogged;
  private long pauseNs = FIRST_PAUSE_NS;
  private long scannedNs = System.nanoTime();

  /**
   * @param isOff whether programs poll everything themselves: there is no thread then
   * @param devices has a cable's NIC's, if there is any now: of the provider that most channels
   *     have
   */
  public ProgressThread(boolean isOff, Supplier<Optional<VerbsDevice>> devices) {
    this.isOff = isOff;
    this.devices = devices;
    this.service = new ServiceThread("mesh-progress", this::turn, LOG::warn);
  }

  /** What follows a channel that is at no poller. */
  public ChannelAttendant attendant(MeshChannel channel) {
    return isOff ? ChannelAttendant.NONE : new UnpolledChannel(this, channel.core);
  }

  /** From now on it is polled while its program does not. Does nothing if it is watched already. */
  void watch(Watched added) {
    if (isOff) {
      return;
    }
    synchronized (this) {
      if (added.isWatched || isClosed || !mayRun()) {
        return;
      }
      added.isWatched = true;
      added.nextSubmitted = submitted;
      submitted = added;
    }
    wakeUp();
  }

  /** Starts the thread when there is something to do for the first time. */
  private boolean mayRun() {
    if (!isStarted) {
      try {
        service.start();
        isStarted = true;
      } catch (OutOfMemoryError e) {
        // The next one tries again, and the program's own polls move things along as well.
        LOG.warn(
            "no thread to make progress with while the program does not poll: {}", e.getMessage());
      }
    }
    return isStarted;
  }

  private void wakeUp() {
    LockSupport.unpark(service.thread());
    CompletionEvents sleptOn = events;
    if (sleptOn != null) {
      sleptOn.wakeUp();
    }
  }

  /**
   * Where channels are attached. Those whose device is of another provider, as a relayed one over
   * RDMA devices is, are polled every few milliseconds.
   *
   * @param own the device of the channel that asks, for as long as the transport has no NIC
   */
  CompletionEvents events(VerbsDevice own) throws VerbsException {
    if (events == null) {
      Optional<VerbsDevice> usual = devices.get();
      events = usual.orElse(own).createCompletionEvents();
      areEventsProvisional = usual.isEmpty();
    }
    return events;
  }

  /**
   * The transport may have a NIC by now, of another provider than the first channel's device: then
   * all attach anew, to events of that NIC.
   */
  private void replaceProvisionalEvents() throws VerbsException {
    if (areEventsProvisional && devices.get().isPresent()) {
      CompletionEvents provisional = events;
      watched.forEach(Watched::detach);
      events = null;
      areEventsProvisional = false;
      provisional.close();
    }
  }

  /** The thread polls that channel every few milliseconds instead. */
  void cannotAttach(Route route, VerbsException why) {
    if (!isEventFailureLogged) {
      isEventFailureLogged = true;
      LOG.warn(
          "{}: polled every 32 ms, since events are not to be had: {}", route, why.getMessage());
    }
  }

  private void turn() throws VerbsException {
    boolean isNew = accept();
    long nowNs = System.nanoTime();
    pauseNs = isNew ? FIRST_PAUSE_NS : pauseNs;
    if (!isNew && nowNs - scannedNs >= untilScanNs(nowNs, pauseNs)) {
      scan(nowNs);
      scannedNs = nowNs;
    } else if (isNew) {
      scannedNs = nowNs;
    }
    sleep(watched.isEmpty() ? NOTHING_NS : untilScanNs(nowNs, pauseNs - (nowNs - scannedNs)));
  }

  /** Whether there is any that was submitted since. It has a pause to be polled by its program. */
  private synchronized boolean accept() {
    boolean isAny = submitted != null;
    while (submitted != null) {
      Watched added = submitted;
      submitted = added.nextSubmitted;
      added.nextSubmitted = null;
      added.pollsSeen = added.polls();
      added.attendedScans = 0;
      if (!added.isListed) {
        added.isListed = true;
        watched.add(added);
      }
    }
    return isAny;
  }

  private long untilScanNs(long nowNs, long atMostNs) {
    long untilNs = atMostNs;
    for (int i = 0; i < watched.size(); i++) {
      untilNs = Math.min(untilNs, watched.get(i).untilDueNs(nowNs));
    }
    return untilNs;
  }

  private void scan(long nowNs) throws VerbsException {
    replaceProvisionalEvents();
    boolean haveAllEvents = true;
    for (int i = watched.size() - 1; i >= 0; i--) {
      Watched one = watched.get(i);
      if (!isKept(one, nowNs)) {
        one.isListed = false;
        watched.remove(i);
      } else {
        haveAllEvents &= one.isAttached() || !isMarked(one);
      }
    }
    pauseNs = Math.min(2 * pauseNs, haveAllEvents ? MAX_PAUSE_WITH_EVENTS_NS : MAX_PAUSE_NS);
  }

  private boolean isKept(Watched one, long nowNs) {
    one.isAttended = one.isAwaited() || one.polls() != one.pollsSeen;
    if (one.isAttended && one.untilDueNs(nowNs) > 0) {
      one.pollsSeen = one.polls();
      one.detach();
      if (++one.attendedScans < MAX_ATTENDED_SCANS) {
        return true;
      }
    }
    one.attendedScans = 0;
    return poll(one);
  }

  /** Whether it still is in the list; what it defers meanwhile is submitted anew. */
  private boolean poll(Watched one) {
    mark(one, false);
    boolean isMore = true;
    try {
      isMore = one.progressUnpolled(this);
    } finally {
      one.pollsSeen = one.polls();
      isMore = isMore && mark(one, true);
    }
    return isMore || one.isPermanent();
  }

  /** Whether something waits there. */
  private synchronized boolean isMarked(Watched one) {
    return one.isWatched;
  }

  /** Whether that was a change. */
  private synchronized boolean mark(Watched one, boolean isWatched) {
    boolean isChange = one.isWatched != isWatched;
    one.isWatched = isWatched;
    return isChange;
  }

  private void sleep(long timeoutNs) throws VerbsException {
    if (timeoutNs <= 0 || service.isEnding() || hasSubmitted()) {
      return;
    }
    if (events == null) {
      LockSupport.parkNanos(this, timeoutNs);
    } else if (events.awaitUndriven(timeoutNs)) {
      for (Object next = events.next(); next != null; next = events.next()) {
        Watched one = (Watched) next;
        if (one.isListed && !isKept(one, System.nanoTime())) {
          one.isListed = false;
          watched.remove(one);
        }
      }
    }
  }

  private synchronized boolean hasSubmitted() {
    return submitted != null;
  }

  /** Ends the thread, and waits for it. Nothing is watched from here on. */
  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
    }
    service.end();
    wakeUp();
    service.awaitEnd();
    CompletionEvents last = events;
    if (last != null) {
      try {
        last.close();
      } catch (VerbsException e) {
        LOG.warn("the events of unpolled channels cannot be closed: {}", e.getMessage());
      }
    }
  }
}
