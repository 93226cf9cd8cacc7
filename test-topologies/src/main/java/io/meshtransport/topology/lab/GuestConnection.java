// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The fabric's end of a {@link GuestAgent}'s stream. A thread of its own reads; any thread starts
 * programs. Ends with the stream, and all its programs with it; the streams stay the caller's.
 */
final class GuestConnection {
  private static final long START_LIMIT_MS = 20_000;

  private final long startLimitMs;
  private final String node;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final Map<Integer, GuestProcess> processes = new ConcurrentHashMap<>();
  private final AtomicInteger lastNumber = new AtomicInteger();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private volatile boolean ended;

  GuestConnection(String node, InputStream in, OutputStream out) {
    this(node, in, out, START_LIMIT_MS);
  }

  /**
   * @param startLimitMs how long a program may take to start
   */
  GuestConnection(String node, InputStream in, OutputStream out, long startLimitMs) {
    this.startLimitMs = startLimitMs;
    this.node = node;
    this.in = new DataInputStream(new BufferedInputStream(in));
    this.out = new DataOutputStream(new BufferedOutputStream(out));
    Thread reader = new Thread(this::read, "mesh-lab-" + node);
    reader.setDaemon(true);
    reader.start();
  }

  /** Done when the agent takes orders; exceptionally if it ends before. */
  CompletableFuture<Void> ready() {
    return ready;
  }

  /** Whether nothing can be started any more. */
  boolean hasEnded() {
    return ended;
  }

  private void read() {
    IOException why = new IOException("guest " + node + " has ended");
    try {
      for (Optional<AgentFrame> frame = AgentFrame.read(in);
          frame.isPresent();
          frame = AgentFrame.read(in)) {
        accept(frame.get());
      }
    } catch (IOException e) {
      why = e;
    } catch (IllegalArgumentException | IllegalStateException e) {
      why = new IOException("guest " + node + " sends what no agent does: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end(why);
    }
  }

  private void end(IOException why) {
    ended = true;
    ready.completeExceptionally(why);
    // Those that are being added see that it has ended.
    processes.values().forEach(GuestProcess::lost);
    processes.clear();
  }

  private void accept(AgentFrame frame) throws InterruptedException {
    if (frame.kind() == AgentFrame.Kind.READY) {
      ready.complete(null);
      return;
    }
    GuestProcess process = processes.get(frame.program());
    if (process == null) {
      // A child of a program that has ended still prints.
      return;
    }
    process.accept(frame);
    if (frame.kind() == AgentFrame.Kind.EXIT || frame.kind() == AgentFrame.Kind.REFUSED) {
      processes.remove(frame.program());
    }
  }

  /**
   * Starts a program, and waits until it runs. One that does not in time is killed.
   *
   * @throws IOException if it cannot be started, or the guest has ended
   */
  GuestProcess start(StartRequest request) throws IOException {
    int number = lastNumber.incrementAndGet();
    GuestProcess process = new GuestProcess(number, this);
    processes.put(number, process);
    if (ended) {
      process.lost();
    } else {
      send(new AgentFrame(AgentFrame.Kind.START, number, request.encode()));
    }
    try {
      process.awaitStart(startLimitMs);
      return process;
    } catch (IOException e) {
      // If it still starts, nothing would ever end it.
      process.destroyForcibly();
      processes.remove(number);
      throw e;
    }
  }

  /** Any thread. */
  void send(AgentFrame frame) throws IOException {
    synchronized (out) {
      frame.write(out);
    }
  }

  /** As {@link #send}, for what has no meaning any more when the guest is gone. */
  void sendIfAlive(AgentFrame frame) {
    try {
      send(frame);
    } catch (IOException e) {
      // The reader sees the same, and ends all processes.
      return;
    }
  }
}
