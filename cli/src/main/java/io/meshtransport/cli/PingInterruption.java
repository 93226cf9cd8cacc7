// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.spi.Transport;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C or SIGTERM during a ping, handled as by ping(8): the message in flight is the last one,
 * then come the summary and the goodbye to the peer. The process ends when the command has printed
 * and closed everything, or after a bounded time. Created by the command's thread, which registers
 * what has to be ended; a shutdown hook of the JVM triggers the end.
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

  /** Called by the shutdown hook. Waits until the command has finished. */
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

  /** The command has printed its summary and written its report. */
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
