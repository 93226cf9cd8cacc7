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
  /** Twice: for the message under way, and for what a peer that is silent leaves undone. */
  private static final long PATIENCE_MS = 1_000;

  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread hook = new Thread(this::end, "mesh-ping-interrupted");
  private volatile Transport transport;
  private volatile Pings pings;

  PingInterruption() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** That is closed, if nothing else helps. */
  void uses(Transport opened) {
    transport = opened;
  }

  /** Those are stopped. */
  void sends(Pings running) {
    pings = running;
  }

  private void end() {
    try {
      Pings running = pings;
      if (running != null) {
        running.stop();
        if (over.await(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
      Transport opened = transport;
      if (opened != null) {
        opened.close();
        over.await(PATIENCE_MS, TimeUnit.MILLISECONDS);
      }
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
