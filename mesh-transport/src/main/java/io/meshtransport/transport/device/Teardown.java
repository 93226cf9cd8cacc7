// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.threads.ServiceThreads;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Takes things away from one device: destroys queue pairs, closes what went with them, and at last
 * the device. A driver may keep its caller for long: Soft-RoCE waits up to 50 s for packets of the
 * queue pair that are still queued at an interface, adapters' drivers as long for a firmware that
 * does not answer. So it is done on threads of its own, {@code mesh-teardown}, unless the device's
 * calls return at once, and the caller waits a bounded time. What is not done by then goes on. Any
 * thread may call it.
 */
public final class Teardown {
  /** Far more than a device takes that is well, even an emulated one. */
  public static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);

  /** While something is overdue already, the next will hardly be faster. */
  private static final long WHILE_OVERDUE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int THREADS = 4;
  private static final Logger LOG = LogManager.getLogger(Teardown.class);

  private final String label;
  private final Executor executor;
  private final Set<Removal> pending = ConcurrentHashMap.newKeySet();
  private final AtomicInteger overdue = new AtomicInteger();

  /** What there is to do; it may take long. */
  public interface Step {
    void run() throws VerbsException;
  }

  /**
   * @param label of the NIC, for people
   */
  Teardown(String label, VerbsDevice device) {
    this.label = label;
    executor =
        device.returnsAtOnce() ? Runnable::run : new ServiceThreads("mesh-teardown", THREADS);
  }

  /**
   * Begins to take something away.
   *
   * @param what it is, for people
   */
  public Removal begin(String what, Step step) {
    return begin(what, CompletableFuture.completedFuture(null), step);
  }

  /** As {@link #begin(String, Step)}, when an earlier one is over, however it ended. */
  public Removal beginAfter(Removal earlier, String what, Step step) {
    return begin(what, earlier.end, step);
  }

  /** As {@link #begin(String, Step)}, when everything that has begun here is over. */
  Removal beginLast(String what, Step step) {
    CompletableFuture<?>[] ends =
        pending.stream().map(each -> each.end).toArray(CompletableFuture<?>[]::new);
    return begin(what, CompletableFuture.allOf(ends), step);
  }

  private Removal begin(String what, CompletableFuture<?> earlier, Step step) {
    Removal removal = new Removal(what);
    pending.add(removal);
    Runnable work = () -> removal.run(step);
    if (earlier.isDone()) {
      executor.execute(work);
    } else {
      earlier.whenComplete((any, failure) -> executor.execute(work));
    }
    return removal;
  }

  /** One thing that is being taken away. */
  public final class Removal {
    private final String what;
    private final long startNs = System.nanoTime();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    /** Guarded by this, as all that follow. */
    private final List<Runnable> afterwards = new ArrayList<>(0);

    private boolean isAway;
    private boolean isOverdue;

    private Removal(String what) {
      this.what = what;
    }

    private void run(Step step) {
      Throwable failure = null;
      try {
        step.run();
        away();
      } catch (Throwable e) {
        failure = e;
      }
      if (failure == null) {
        end.complete(null);
      } else {
        end.completeExceptionally(failure);
      }
      pending.remove(this);
      tellIfOverdue(failure);
    }

    /** Before it is over, for what waits for that may need what these do. */
    private void away() {
      List<Runnable> tasks;
      synchronized (this) {
        isAway = true;
        tasks = List.copyOf(afterwards);
      }
      tasks.forEach(Runnable::run);
    }

    private synchronized void tellIfOverdue(Throwable failure) {
      if (isOverdue) {
        overdue.decrementAndGet();
        LOG.warn(
            "{}: {} took {} ms to be taken away{}",
            label,
            what,
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs),
            failure == null ? "" : ", and that failed: " + failure.getMessage());
      }
    }

    /** Whether nothing more happens, for better or worse. */
    boolean isOver() {
      return end.isDone();
    }

    /** Whether the device has refused. */
    public boolean hasFailed() {
      return end.isCompletedExceptionally();
    }

    /** Does something once it is away; at once, if it is. On any thread. */
    public void whenAway(Runnable task) {
      synchronized (this) {
        if (!isAway) {
          afterwards.add(task);
          return;
        }
      }
      task.run();
    }

    /**
     * Waits a bounded time until it is away; the first time only, then it just looks.
     *
     * @throws VerbsException if the device refuses, or EBUSY if its driver is not done yet
     */
    public void await() throws VerbsException {
      boolean isInterrupted = false;
      long untilNs = System.nanoTime() + patienceNs();
      try {
        while (true) {
          try {
            end.get(Math.max(0, untilNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            return;
          } catch (InterruptedException e) {
            isInterrupted = true;
          }
        }
      } catch (TimeoutException e) {
        throw late();
      } catch (ExecutionException e) {
        throw failure(e.getCause());
      } finally {
        if (isInterrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private synchronized long patienceNs() {
      if (isOverdue) {
        return 0;
      }
      return overdue.get() == 0 ? PATIENCE_NS : WHILE_OVERDUE_NS;
    }

    private VerbsException late() {
      long sinceMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
      String text =
          "%s: its driver has not taken %s away within %d ms. That goes on; registered memory in use there stays"
                  .formatted(label, what, sinceMs)
              + " registered until it is done, and `dmesg` may say what the driver waits for.";
      if (becomesOverdue()) {
        LOG.warn(text);
      }
      return new VerbsException(Errno.EBUSY, text);
    }

    private synchronized boolean becomesOverdue() {
      if (isOverdue || end.isDone()) {
        return false;
      }
      isOverdue = true;
      overdue.incrementAndGet();
      return true;
    }

    private VerbsException failure(Throwable why) {
      Throwable cause = why instanceof CompletionException ? why.getCause() : why;
      if (cause instanceof VerbsException refused) {
        return refused;
      }
      if (cause instanceof RuntimeException mistake) {
        throw mistake;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(what + " cannot be taken away", cause);
    }
  }
}
