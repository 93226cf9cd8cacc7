// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.spi.Transport;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C or SIGTERM during a ping, as ping(8) takes it: no message after the one that is under way,
 * then the summary, and the peer is told goodbye. The process ends when the command has said so, or
 * after a bounded time. Made by the command's thread, which says what there is to end; the end
 * comes from a hook of the JVM's.
 */
final class PingInterruption implements AutoCloseable {
  /** For the message under way, of a peer that may be silent. */
  private static final long MESSAGE_MS = 1_000;

  /** For the command's last words, when nothing is left that it could wait for. */
  private static final long WORDS_MS = 5_000;

  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread hook = new Thread(this::end, "mesh-ping-interrupted");
  private final Object ends = new Object();
  private Transport transport;
  private Pings pings;
  private boolean begun;

  PingInterruption() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** That is closed, if nothing else helps; at once if the end has come before it. */
  void uses(Transport opened) {
    boolean late;
    synchronized (ends) {
      transport = opened;
      late = begun;
    }
    if (late) {
      opened.close();
    }
  }

  /** Those are stopped, at once if the end has come before them. */
  void sends(Pings running) {
    synchronized (ends) {
      pings = running;
      if (begun) {
        running.stop();
      }
    }
  }

  /** Whether it has come: what fails from then on may fail because of it. Any thread. */
  boolean hasBegun() {
    synchronized (ends) {
      return begun || isJvmEnding();
    }
  }

  /** The JVM ends a moment before it runs our hook. */
  private static boolean isJvmEnding() {
    Thread unused = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(unused);
      Runtime.getRuntime().removeShutdownHook(unused);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /** The end has come. Waits until the command has said so. */
  void end() {
    Transport opened;
    boolean sending;
    synchronized (ends) {
      begun = true;
      opened = transport;
      sending = pings != null;
      if (sending) {
        pings.stop();
      }
    }
    try {
      if (sending && over.await(MESSAGE_MS, TimeUnit.MILLISECONDS)) {
        return;
      }
      if (opened != null) {
        opened.close();
      }
      over.await(WORDS_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** All is said and written. */
  @Override
  public void close() {
    over.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It runs, or has run, and lets the process end now.
    }
  }
}
