// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.logging.Log;

/**
 * The thread of an outbound link: opens the channel on request, sends the backlog and the directory
 * over it, drives it while its sends need that, and closes it after a failure. There is no thread
 * while no connection is requested and none is open; no exception and no Error ends the thread of
 * one that is.
 */
final class LinkWorker {
  /** What a thread that has caught an Error waits before it goes on. */
  private static final long ERROR_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final OutboundLink link;
  private final LinkCore core;
  private final LinkDialer dialer;
  private final OutboundLink.Terms terms;
  private final Log log;

  /** Null while there is none; confined to the link's lock. */
  private Thread thread;

  LinkWorker(
      OutboundLink link, LinkCore core, LinkDialer dialer, OutboundLink.Terms terms, Log log) {
    this.link = link;
    this.core = core;
    this.dialer = dialer;
    this.terms = terms;
    this.log = log;
  }

  /**
   * With the lock: wakes the thread, and starts it if there is none.
   *
   * @throws OutOfMemoryError if no thread can be started; the next request tries again
   */
  void wake() {
    if (thread == null && core.state() != LinkState.CLOSED) {
      Thread started = new Thread(this::run, "mesh-jgroups-out");
      started.setDaemon(true);
      started.start();
      thread = started;
    }
    core.work().signalAll();
  }

  /** With the lock: interrupts the thread, for the link was closed. */
  void interrupt() {
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** With the lock: the thread, or null. */
  Thread thread() {
    return thread;
  }

  private void run() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = runOnce();
      } catch (InterruptedException e) {
        // Only close() interrupts this thread; an interrupt by anything else closes the link too.
        link.close();
      } catch (Throwable e) {
        recover(e);
      }
    }
  }

  /**
   * From a request to the end of the channel.
   *
   * @return whether the thread goes on: not if the link is closed, or nothing is requested
   */
  private boolean runOnce() throws InterruptedException {
    if (!awaitRequest()) {
      finish();
      return false;
    }
    if (open()) {
      serve();
    }
    release();
    return true;
  }

  /** Anything unforeseen is treated as a broken channel. */
  private void recover(Throwable cause) {
    try {
      log.error(
          "The link to node %s met %s and begins anew",
          terms.links().nameOf(link.id()), cause.toString());
      core.lock();
      try {
        if (core.state() == LinkState.OPENING || core.state() == LinkState.OPEN) {
          core.fail(
              new TransportException(
                  TransportException.Reason.DEVICE, "the thread of the link met " + cause, cause));
        }
      } finally {
        core.unlock();
      }
      if (link.state().isDown()) {
        release();
      } else {
        // A closed link has no retry pause.
        LockSupport.parkNanos(ERROR_PAUSE_NS);
      }
    } catch (Throwable again) {
      // For example out of memory; the next turn begins with what this one could not end.
      LockSupport.parkNanos(ERROR_PAUSE_NS);
    }
  }

  private boolean awaitRequest() throws InterruptedException {
    core.lock();
    try {
      if (core.state() == LinkState.FAILED) {
        // Only if the thread met an Error while it released the channel.
        return true;
      }
      if (!core.requests().contains(LinkRequest.CONNECT) && core.state() != LinkState.CLOSED) {
        thread = null;
        return false;
      }
      long leftNs = core.pause().leftNs(System.nanoTime());
      while (core.state() == LinkState.BACKING_OFF && leftNs > 0) {
        core.work().awaitNanos(leftNs);
        leftNs = core.pause().leftNs(System.nanoTime());
      }
      core.requests().remove(LinkRequest.CONNECT);
      return core.become(LinkState.OPENING);
    } finally {
      core.unlock();
    }
  }

  private boolean open() throws InterruptedException {
    if (link.state() != LinkState.OPENING) {
      return false;
    }
    SendChannel opened;
    try {
      opened = openChannel();
    } catch (TransportException e) {
      if (e.reason() == TransportException.Reason.INTERRUPTED) {
        throw new InterruptedException();
      }
      core.lock();
      try {
        core.fail(e);
      } finally {
        core.unlock();
      }
      return false;
    }
    core.lock();
    try {
      link.describe(core.channel().description());
      // The introduction precedes all messages of the backlog.
      core.channel().directory().announce();
      core.sendDirectory();
      if (core.state() != LinkState.OPENING || !core.become(LinkState.OPEN)) {
        return false;
      }
      core.liveness().opened();
      core.pause().reset();
    } finally {
      core.unlock();
    }
    terms.links().opened(link, opened.route());
    return true;
  }

  /** Opens a channel and installs it: from then on {@link #release} closes it. */
  private SendChannel openChannel() throws TransportException {
    SendChannel opened = null;
    RegisteredMemory memory = null;
    boolean isInstalled = false;
    try {
      memory = terms.links().directoryMemory();
      DirectorySender directory = new DirectorySender(memory, terms.links()::directoryMessages);
      opened =
          dialer.open(
              () -> terms.links().dial(link.id(), link.handle()),
              () -> link.state() == LinkState.OPENING);
      LinkChannel channel = new LinkChannel(opened, directory, terms.pool());
      core.lock();
      try {
        core.install(channel);
      } finally {
        core.unlock();
      }
      isInstalled = true;
      return opened;
    } finally {
      if (!isInstalled) {
        close(opened, memory);
      }
    }
  }

  private static void close(SendChannel opened, RegisteredMemory memory) {
    try {
      if (opened != null) {
        opened.close();
      }
    } finally {
      if (memory != null) {
        memory.close();
      }
    }
  }

  private void serve() throws InterruptedException {
    while (true) {
      LinkChannel driven = null;
      long seen = 0;
      core.lock();
      try {
        if (core.state() != LinkState.OPEN) {
          return;
        }
        LinkChannel channel = core.channel();
        seen = channel.progressCount();
        core.reap();
        if (core.state() == LinkState.OPEN) {
          core.sendDirectory();
        }
        if (core.state() == LinkState.OPEN) {
          core.backlog().drainTo(channel.bundles(), terms.links().share());
          core.failIfBroken();
        }
        core.driver().signalAll();
        if (core.state() == LinkState.OPEN && needsDriving(channel) && !core.driver().isHeld()) {
          driven = channel;
          core.driver().acquire();
          core.requests().remove(LinkRequest.CHECK);
        } else if (core.state() == LinkState.OPEN) {
          core.work().awaitNanos(LinkCore.TICK_NS);
        }
      } finally {
        core.unlock();
      }
      if (driven != null) {
        core.drive(driven, seen, LinkCore.TICK_NS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
  }

  private boolean needsDriving(LinkChannel channel) {
    return channel.needsProgress()
        || !core.backlog().isEmpty()
        || channel.directory().hasMore()
        || core.requests().contains(LinkRequest.CHECK);
  }

  /** After a failure: closes the channel, gives everything back and reports the failure once. */
  private void release() {
    LinkChannel broken;
    TransportException why;
    core.lock();
    try {
      if (core.state() == LinkState.CLOSED) {
        return;
      }
      broken = core.channel();
      why = core.failure();
    } finally {
      core.unlock();
    }
    closeAndDrop(broken);
    if (why != null) {
      terms.links().lost(link, why, broken != null);
    }
  }

  /** Closes first: then no request is pending, and no device writes to their memory. */
  private void closeAndDrop(LinkChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      core.lock();
      try {
        core.drop();
      } finally {
        core.unlock();
      }
    }
  }

  /** The end of the thread of a closed link; nothing else of a link that only has no requests. */
  private void finish() {
    LinkChannel channel;
    core.lock();
    try {
      // A channel that a later thread has opened is that thread's to close.
      if (core.state() != LinkState.CLOSED || thread != Thread.currentThread()) {
        return;
      }
      channel = core.channel();
    } finally {
      core.unlock();
    }
    // close() interrupted this thread, and closing the channel waits a moment for the peer.
    Thread.interrupted();
    closeAndDrop(channel);
  }
}
