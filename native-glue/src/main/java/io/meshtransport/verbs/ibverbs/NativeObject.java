// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * An object of libibverbs with an address, parents that must outlive it, and perhaps children. Any
 * thread may close it at any time: a call enters its use count, and the memory is freed only when
 * the count is zero. That costs two atomic additions per call, a tenth of the call itself.
 */
abstract class NativeObject implements AutoCloseable {
  private static final VarHandle GATE;
  private static final int CLOSED = Integer.MIN_VALUE;
  private static final long LONGEST_CALL_NS = TimeUnit.SECONDS.toNanos(10);

  static {
    try {
      GATE = MethodHandles.lookup().findVarHandle(NativeObject.class, "gate", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Threads inside, and {@link #CLOSED}. */
  private volatile int gate;

  private final long pointer;
  private final String description;
  private final List<NativeObject> parents;
  private final List<NativeObject> children = new ArrayList<>();

  /** Held by the closing thread; not the monitor, which calls use to add children. */
  private final Object closing = new Object();

  private boolean isDestroyed;

  /**
   * @param description for error texts, as in "completion queue of rxe0"
   * @param parents objects that the caller has entered
   */
  NativeObject(long pointer, String description, NativeObject... parents) {
    this.pointer = pointer;
    this.description = description;
    this.parents = List.of(parents);
    for (NativeObject parent : parents) {
      parent.adopt(this);
    }
  }

  /** Destroys the native object; no call is inside. 0 or an errno, after which it still exists. */
  abstract int destroy();

  /** The call {@link #destroy} makes, for error texts. */
  abstract String destroyCall();

  /** Ends the waits of those inside. */
  void wakeInsiders() {}

  final long pointer() {
    return pointer;
  }

  final String description() {
    return description;
  }

  /** Enters the gate, to be left again; false if the object is closed. Allocates nothing. */
  final boolean enter() {
    if ((int) GATE.getAndAdd(this, 1) >= 0) {
      return true;
    }
    leave();
    return false;
  }

  final void leave() {
    GATE.getAndAdd(this, -1);
  }

  final boolean isClosed() {
    return gate < 0;
  }

  final VerbsException closedFailure() {
    return new VerbsException(Errno.EBADF, description + " is closed");
  }

  /** A call of set-up. */
  interface Call<T> {
    T make() throws VerbsException;
  }

  /**
   * Makes a call that has entered some objects, which are not destroyed meanwhile.
   *
   * @throws VerbsException EBADF if one of them is closed
   */
  static <T> T inside(Call<T> call, NativeObject... objects) throws VerbsException {
    int entered = 0;
    try {
      while (entered < objects.length) {
        if (!objects[entered].enter()) {
          throw objects[entered].closedFailure();
        }
        entered++;
      }
      return call.make();
    } finally {
      while (entered > 0) {
        objects[--entered].leave();
      }
    }
  }

  /** A call of set-up that answers nothing. */
  interface Step {
    void run() throws VerbsException;
  }

  /** As {@link #inside}. */
  static void run(Step step, NativeObject... objects) throws VerbsException {
    inside(
        () -> {
          step.run();
          return objects;
        },
        objects);
  }

  private synchronized void adopt(NativeObject child) {
    children.add(child);
  }

  private synchronized void forget(NativeObject child) {
    children.remove(child);
  }

  private synchronized void refuseWhileUsed() throws VerbsException {
    if (!children.isEmpty()) {
      String users =
          children.stream().map(NativeObject::description).collect(Collectors.joining(", "));
      throw new VerbsException(
          Errno.EBUSY,
          description + " cannot be closed before what uses it: close " + users + " first");
    }
  }

  @Override
  public final void close() throws VerbsException {
    if (closeOnce()) {
      parents.forEach(parent -> parent.forget(this));
    }
  }

  /** Whether this call did it. */
  private boolean closeOnce() throws VerbsException {
    synchronized (closing) {
      if (isDestroyed) {
        return false;
      }
      refuseWhileUsed();
      GATE.getAndBitwiseOr(this, CLOSED);
      boolean done = false;
      try {
        awaitInsiders();
        // A call inside may have added a child.
        refuseWhileUsed();
        NativeFailure.check(destroy(), destroyCall(), description);
        done = true;
      } finally {
        if (!done) {
          GATE.getAndBitwiseAnd(this, ~CLOSED);
        }
      }
      isDestroyed = true;
      return true;
    }
  }

  private void awaitInsiders() throws VerbsException {
    long startNs = System.nanoTime();
    while (gate != CLOSED) {
      wakeInsiders();
      if (System.nanoTime() - startNs > LONGEST_CALL_NS) {
        throw new VerbsException(
            Errno.EBUSY,
            description
                + " cannot be closed: another thread has been in a call on it for 10 s. Try again"
                + " when it is back.");
      }
      Thread.yield();
    }
  }
}
