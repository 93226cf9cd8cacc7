// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.NicListener;
import io.meshtransport.threads.FailureReports;
import io.meshtransport.threads.ServiceThread;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The thread {@code mesh-host} of a transport: scans the host at regular times, and tells listeners
 * of changes. A look that finds nothing new takes about 1 ms of processor time. Nothing ends the
 * thread but {@link #close}. Any thread may call it.
 */
public final class HostWatch implements AutoCloseable {
  /** Two scans see whatever has changed within one second, with time to spare for a busy host. */
  static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final long ENDS_WITHIN_MS = 2_000;
  private static final Logger LOG = LogManager.getLogger(HostWatch.class);

  private final Runnable look;
  private final Supplier<List<NicDescription>> nics;
  private final List<NicListener> listeners = new CopyOnWriteArrayList<>();
  private final FailureReports listenerFailures;
  private final ServiceThread thread;
  private List<NicDescription> reported;
  private boolean isFailing;

  /**
   * @param look at the host, and do what follows from it
   * @param nics as they are now
   */
  public HostWatch(Runnable look, Supplier<List<NicDescription>> nics) {
    this(look, nics, LOG::warn);
  }

  /**
   * @param report gets what is thrown by listeners, and by a turn of the thread
   */
  HostWatch(Runnable look, Supplier<List<NicDescription>> nics, FailureReports.Report report) {
    this.look = look;
    this.nics = nics;
    this.listenerFailures = new FailureReports("telling NicListeners", report);
    this.thread = new ServiceThread("mesh-host", this::turn, report);
    reported = nics.get();
  }

  public void start() {
    thread.start();
  }

  public void add(NicListener listener) {
    listeners.add(listener);
  }

  public void remove(NicListener listener) {
    listeners.remove(listener);
  }

  /** Another thread has found a change: tell listeners soon. */
  public void wakeUp() {
    LockSupport.unpark(thread.thread());
  }

  private void turn() {
    try {
      once();
    } catch (Throwable e) {
      // Including OutOfMemoryError: the next look may go well.
      failed(e);
    }
    LockSupport.parkNanos(this, INTERVAL_NS);
  }

  private void once() {
    look.run();
    isFailing = false;
    List<NicDescription> now = nics.get();
    if (!thread.isEnding() && !now.equals(reported)) {
      reported = now;
      listeners.forEach(listener -> tell(listener, now));
    }
  }

  private void tell(NicListener listener, List<NicDescription> now) {
    try {
      listener.nicsChanged(now);
    } catch (Throwable e) {
      // Adding throws nothing, so the other listeners are notified whatever becomes of the report.
      listenerFailures.add(e);
    }
  }

  /** Said once until a look goes well again. */
  private void failed(Throwable why) {
    try {
      if (!isFailing) {
        isFailing = true;
        LOG.warn(
            "this host's network interfaces cannot be read now, so NICs stay as they were. It is tried"
                + " again every {} ms.",
            TimeUnit.NANOSECONDS.toMillis(INTERVAL_NS),
            why);
      }
    } catch (Throwable e) {
      // No memory even for that line. The thread goes on.
      isFailing = false;
    }
  }

  /** Ends the thread; waits for it, unless a listener calls. */
  @Override
  public void close() {
    thread.end();
    if (Thread.currentThread() == thread.thread()) {
      return;
    }
    try {
      thread.thread().join(ENDS_WITHIN_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
