// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A program the {@link GuestAgent} started. Three threads carry its streams, so that one stream
 * that is not read does not block the others; a fourth reports its end.
 */
final class GuestProgram {
  private static final int CHUNK_BYTES = 1 << 16;
  private static final long LINGER_MS = 2000;

  private final int number;
  private final Process process;
  private final Sender sender;
  private final ByteQueue input = new ByteQueue();

  /** Where frames go. */
  interface Sender {
    void send(AgentFrame frame) throws IOException;
  }

  private GuestProgram(int number, Process process, Sender sender) {
    this.number = number;
    this.process = process;
    this.sender = sender;
  }

  /**
   * @throws IOException if there is no such program, or no such folder
   */
  static GuestProgram start(int number, StartRequest request, Sender sender) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(request.words())
            .directory(new File(request.folder()))
            .redirectErrorStream(request.joinErrors());
    builder.environment().clear();
    builder.environment().putAll(request.environment());
    return new GuestProgram(number, builder.start(), sender);
  }

  /**
   * Reports that it has started, and begins to carry its streams.
   *
   * @param ended runs when it has ended
   */
  void run(Runnable ended) throws IOException {
    sender.send(AgentFrame.of(AgentFrame.Kind.STARTED, number, String.valueOf(process.pid())));
    daemon("input", this::feed);
    Thread output = daemon("output", () -> carry(process.getInputStream(), AgentFrame.Kind.OUTPUT));
    Thread errors = daemon("errors", () -> carry(process.getErrorStream(), AgentFrame.Kind.ERRORS));
    daemon(
        "end",
        () -> {
          int status = process.waitFor();
          // A child that it left behind may hold them open for as long as it likes.
          output.join(LINGER_MS);
          errors.join(LINGER_MS);
          ended.run();
          input.close();
          sender.send(AgentFrame.of(AgentFrame.Kind.EXIT, number, String.valueOf(status)));
        });
  }

  /** A part of what it reads. Waits only if far more is there than it has read. */
  void input(AgentFrame frame) throws IOException {
    if (frame.isEnd()) {
      input.end();
      return;
    }
    try {
      input.put(frame.content());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Does nothing if it has ended. */
  void signal(String name) {
    if (!process.isAlive()) {
      return;
    }
    if (name.equals("KILL")) {
      process.destroyForcibly();
      return;
    }
    try {
      new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
    } catch (IOException e) {
      System.err.println("lab: cannot signal: " + e);
    }
  }

  private void feed() throws IOException {
    try (OutputStream stdin = process.getOutputStream()) {
      byte[] chunk = new byte[CHUNK_BYTES];
      for (int count = input.read(chunk); count >= 0; count = input.read(chunk)) {
        stdin.write(chunk, 0, count);
        stdin.flush();
      }
    } catch (IOException e) {
      // The program does not read its input any more, which it may; its end will be reported.
      input.close();
    }
  }

  private void carry(InputStream stream, AgentFrame.Kind kind) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    for (int count = read(stream, chunk); count >= 0; count = read(stream, chunk)) {
      sender.send(new AgentFrame(kind, number, Arrays.copyOf(chunk, count)));
    }
    sender.send(AgentFrame.end(kind, number));
  }

  private int read(InputStream stream, byte[] chunk) throws IOException {
    try {
      return stream.read(chunk);
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
      // When a program ends the JDK closes its pipe, also under a reader, and keeps what was left.
      return stream.read(chunk);
    }
  }

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  private Thread daemon(String what, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException | InterruptedException e) {
                // Standard error is the guest's console, which the fabric shows when it fails.
                System.err.println("lab: " + what + " of program " + number + ": " + e);
              }
            },
            "program-" + number + "-" + what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
