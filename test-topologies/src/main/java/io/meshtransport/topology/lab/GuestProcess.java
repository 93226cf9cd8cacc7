// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.Signals;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program in a guest, as a process of this host: its streams and its end come over the guest's
 * connection. When the guest ends, so does the program, with {@link #KILLED}. Any thread.
 */
final class GuestProcess extends Process implements Signals {
  /** What shells report of a program that SIGKILL ended. */
  static final int KILLED = 137;

  private final int number;
  private final GuestConnection connection;
  private final ByteQueue output = new ByteQueue();
  private final ByteQueue errors = new ByteQueue();
  private final CompletableFuture<Long> started = new CompletableFuture<>();
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final OutputStream input = new Input();

  GuestProcess(int number, GuestConnection connection) {
    this.number = number;
    this.connection = connection;
  }

  /** On the connection's reader. */
  void accept(AgentFrame frame) throws InterruptedException {
    switch (frame.kind()) {
      case STARTED -> started.complete(Long.parseLong(frame.text()));
      case REFUSED -> started.completeExceptionally(new IOException(frame.text()));
      case OUTPUT -> fill(output, frame);
      case ERRORS -> fill(errors, frame);
      case EXIT -> end(Integer.parseInt(frame.text()));
      default -> throw new IllegalStateException("an agent does not send " + frame.kind());
    }
  }

  private static void fill(ByteQueue queue, AgentFrame frame) throws InterruptedException {
    if (frame.isEnd()) {
      queue.end();
    } else {
      queue.put(frame.content());
    }
  }

  /** Its guest is gone. */
  void lost() {
    started.completeExceptionally(new IOException("the guest is gone"));
    end(KILLED);
  }

  private void end(int status) {
    output.end();
    errors.end();
    exit.complete(status);
  }

  /**
   * Waits until it runs.
   *
   * @throws IOException if it cannot be started
   */
  void awaitStart(long limitMs) throws IOException {
    try {
      started.get(limitMs, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException("no answer from the guest for " + limitMs + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void signal(String name) {
    connection.sendIfAlive(AgentFrame.of(AgentFrame.Kind.SIGNAL, number, name));
  }

  @Override
  public OutputStream getOutputStream() {
    return input;
  }

  @Override
  public InputStream getInputStream() {
    return output;
  }

  @Override
  public InputStream getErrorStream() {
    return errors;
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      return exit.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("an exit status is never a failure", e);
    }
  }

  @Override
  public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
    try {
      exit.get(timeout, unit);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("an exit status is never a failure", e);
    }
  }

  @Override
  public int exitValue() {
    if (!exit.isDone()) {
      throw new IllegalThreadStateException("still running");
    }
    return exit.join();
  }

  @Override
  public boolean isAlive() {
    return !exit.isDone();
  }

  @Override
  public CompletableFuture<Process> onExit() {
    return exit.thenApply(status -> this);
  }

  /** In the guest: not one of this host's. */
  @Override
  public long pid() {
    return started.join();
  }

  @Override
  public void destroy() {
    signal("TERM");
  }

  @Override
  public Process destroyForcibly() {
    signal("KILL");
    return this;
  }

  /** Written through at once: what is written is short and waited for. */
  private final class Input extends OutputStream {
    private boolean closed;

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      if (closed || exit.isDone()) {
        throw new IOException("its standard input is closed");
      }
      for (int done = 0; done < length; done += AgentFrame.MAX_BYTES) {
        int end = offset + Math.min(length, done + AgentFrame.MAX_BYTES);
        byte[] part = Arrays.copyOfRange(source, offset + done, end);
        connection.send(new AgentFrame(AgentFrame.Kind.INPUT, number, part));
      }
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        connection.sendIfAlive(AgentFrame.end(AgentFrame.Kind.INPUT, number));
      }
    }
  }
}
