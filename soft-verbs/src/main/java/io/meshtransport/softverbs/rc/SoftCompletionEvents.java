// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.EventFd;
import io.meshtransport.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The completion channels of soft devices that have an event, as a list: a channel that raises one
 * adds itself, with its device's lock held and without a system call unless a thread sleeps. The
 * thread that waits does so in the progress engine of the device that had an event last, which may
 * be that of all, and leaves others to their own threads.
 */
public final class SoftCompletionEvents implements CompletionEvents, EventWaiter {
  private static final VarHandle TOP;
  private static final VarHandle SIGNALED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TOP = lookup.findVarHandle(SoftCompletionEvents.class, "top", Attachment.class);
      SIGNALED = lookup.findVarHandle(SoftCompletionEvents.class, "isSignaled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A channel here, from its attach to its detach. */
  static final class Attachment {
    private final SoftCompletionEvents events;
    private final SoftCompletionChannel channel;
    private final Object context;

    /** The one that was added before it. */
    private Attachment next;

    /** Whether it is in the list. Set with the device's lock, cleared by the thread that waits. */
    private volatile boolean isListed;

    private volatile boolean isDetached;

    private Attachment(SoftCompletionEvents events, SoftCompletionChannel channel, Object context) {
      this.events = events;
      this.channel = channel;
      this.context = context;
    }

    /** The channel has an event. With the device's lock. */
    void raise() {
      if (!isListed) {
        isListed = true;
        events.push(this);
      }
    }

    /** With the device's lock. */
    void detach() {
      isDetached = true;
      events.remove(this);
    }
  }

  /** How many channels of a device are attached. */
  private static final class Use {
    private final SoftDevice device;
    private int channels;

    private Use(SoftDevice device) {
      this.device = device;
    }
  }

  /** What was added and not fetched yet, the latest first. */
  private volatile Attachment top;

  /** What was fetched, the earliest first. Confined to the thread that waits. */
  private Attachment fetched;

  /** Guarded by itself, which is acquired with a device's lock and never before it. */
  private final List<Use> uses = new ArrayList<>();

  /** The devices of {@link #uses}, replaced as a whole. */
  private volatile SoftDevice[] devices = new SoftDevice[0];

  /** Theirs, each once, replaced as a whole. */
  private volatile ProgressEngine[] engines = new ProgressEngine[0];

  /** That of the device that had an event last. Confined to the thread that waits. */
  private ProgressEngine latest;

  /** Where the thread that waits sleeps, or null. */
  private volatile ProgressEngine sleepsIn;

  private final IdleTurns idleTurns = new IdleTurns();

  private volatile Thread waiter;
  private volatile boolean isWoken;
  private volatile boolean isClosed;

  /** For event loops of others; null until someone wants it. */
  private volatile EventFd fd;

  private volatile boolean isSignaled;

  SoftCompletionEvents() {}

  /** With the device's lock. */
  Attachment attach(SoftCompletionChannel channel, Object context) throws VerbsException {
    requireOpen();
    synchronized (uses) {
      Use use = use(channel.device());
      if (use == null) {
        use = new Use(channel.device());
        uses.add(use);
        publish();
      }
      use.channels++;
    }
    return new Attachment(this, channel, context);
  }

  private void remove(Attachment attachment) {
    synchronized (uses) {
      Use use = use(attachment.channel.device());
      use.channels--;
      if (use.channels == 0) {
        uses.remove(use);
        publish();
      }
    }
  }

  private Use use(SoftDevice device) {
    for (Use use : uses) {
      if (use.device == device) {
        return use;
      }
    }
    return null;
  }

  private void publish() {
    devices = uses.stream().map(use -> use.device).toArray(SoftDevice[]::new);
    engines =
        uses.stream().map(use -> use.device.progress()).distinct().toArray(ProgressEngine[]::new);
  }

  private void requireOpen() throws VerbsException {
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, "the completion events are closed");
    }
  }

  private void push(Attachment added) {
    Attachment before;
    do {
      before = top;
      added.next = before;
    } while (!TOP.compareAndSet(this, before, added));
    Thread waiting = waiter;
    if (waiting == Thread.currentThread()) {
      endOwnWait(added.channel.device().progress());
    }
    stir();
  }

  /**
   * The thread that waits in one engine has moved the bytes of another, which the first may be
   * built on: the first knows nothing of this event.
   */
  private void endOwnWait(ProgressEngine raisedIn) {
    ProgressEngine sleeping = sleepsIn;
    if (sleeping != null && sleeping != raisedIn) {
      sleeping.endOwnWait();
    }
  }

  /** Ends a wait, wherever it is. */
  private void stir() {
    Thread waiting = waiter;
    if (waiting != null && waiting != Thread.currentThread()) {
      ProgressEngine sleeping = sleepsIn;
      if (sleeping != null) {
        sleeping.wakeWaiters();
      }
      LockSupport.unpark(waiting);
    }
    EventFd opened = fd;
    if (opened != null && SIGNALED.compareAndSet(this, false, true)) {
      opened.signal();
    }
  }

  @Override
  public boolean isOver() {
    return top != null || isWoken || isClosed;
  }

  @Override
  public IdleTurns idleTurns() {
    return idleTurns;
  }

  @Override
  public boolean await(long timeoutNs) throws VerbsException {
    if (!hasNext() && !isOver()) {
      if (timeoutNs > 0) {
        sleep(timeoutNs);
      } else {
        drive();
      }
    }
    return isReady();
  }

  @Override
  public boolean awaitUndriven(long timeoutNs) throws VerbsException {
    if (!hasNext() && !isOver()) {
      waiter = Thread.currentThread();
      try {
        park(timeoutNs);
      } finally {
        waiter = null;
      }
    }
    return isReady();
  }

  /** After a wait, or instead of one where there is a reason to stop. */
  private boolean isReady() throws VerbsException {
    requireOpen();
    isWoken = false;
    unsignal();
    if (hasNext()) {
      idleTurns.gotEvent();
    }
    return hasNext();
  }

  private boolean hasNext() {
    return fetched != null || top != null;
  }

  /** Before the list is fetched: what is added from now on signals again. */
  private void unsignal() {
    if (isSignaled) {
      fd.clear();
      isSignaled = false;
    }
  }

  /** By index, as the callers move messages. */
  private void drive() {
    polled();
    ProgressEngine[] now = engines;
    for (ProgressEngine engine : now) {
      engine.drive();
    }
  }

  private void polled() {
    SoftDevice[] now = devices;
    for (SoftDevice device : now) {
      device.network().polled();
    }
  }

  /** A queue that is not polled, since it is armed, may have sent something all the same. */
  @Override
  public void flush() {
    SoftDevice[] now = devices;
    for (SoftDevice device : now) {
      if (device.network().hasDeferred()) {
        device.lock().lock();
        try {
          device.network().flushDeferred();
        } finally {
          device.lock().unlock();
        }
      }
    }
  }

  private void sleep(long timeoutNs) {
    ProgressEngine chosen = leaveOthers();
    waiter = Thread.currentThread();
    sleepsIn = chosen;
    try {
      if (chosen == null) {
        park(timeoutNs);
      } else {
        chosen.await(this, timeoutNs);
        polled();
      }
    } finally {
      sleepsIn = null;
      waiter = null;
    }
  }

  /** Returns the engine to wait in, or null if there is none. */
  private ProgressEngine leaveOthers() {
    ProgressEngine[] now = engines;
    ProgressEngine chosen = now.length == 0 ? null : now[0];
    for (ProgressEngine engine : now) {
      chosen = engine == latest ? engine : chosen;
    }
    for (ProgressEngine engine : now) {
      if (engine != chosen) {
        engine.leave();
      }
    }
    return chosen;
  }

  private void park(long timeoutNs) {
    long endNs = System.nanoTime() + timeoutNs;
    long leftNs = timeoutNs;
    while (!isOver() && leftNs > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, leftNs);
      leftNs = endNs - System.nanoTime();
    }
  }

  @Override
  public Object next() {
    while (true) {
      if (fetched == null && !fetch()) {
        return null;
      }
      Attachment first = fetched;
      fetched = first.next;
      first.next = null;
      first.isListed = false;
      if (!first.isDetached) {
        latest = first.channel.device().progress();
        return first.context;
      }
    }
  }

  /** Turns the list over. */
  private boolean fetch() {
    Attachment some = (Attachment) TOP.getAndSet(this, null);
    while (some != null) {
      Attachment earlier = some.next;
      some.next = fetched;
      fetched = some;
      some = earlier;
    }
    return fetched != null;
  }

  @Override
  public void wakeUp() {
    isWoken = true;
    stir();
  }

  @Override
  public synchronized int fd() throws VerbsException {
    requireOpen();
    if (fd == null) {
      fd = EventFd.open();
      if (isOver()) {
        stir();
      }
    }
    return fd.fd();
  }

  @Override
  public boolean arm() throws VerbsException {
    requireOpen();
    if (hasNext() || isWoken) {
      isWoken = false;
      return false;
    }
    for (ProgressEngine engine : engines) {
      engine.leave();
    }
    return true;
  }

  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      stir();
      if (fd != null) {
        fd.close();
      }
    }
  }
}
