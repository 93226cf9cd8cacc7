// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The program's end of a {@link ProgramProcess}: reads commands from standard input, one JSON
 * object per line, executes them one after the other on one worker thread, and prints events on
 * standard output. Ends the JVM when standard input ends, so a program never outlives its harness.
 */
public final class CommandLoop {
  private static final int COMMANDS_AHEAD = 64;

  private final PrintStream output;

  private CommandLoop(PrintStream output) {
    this.output = output;
  }

  /**
   * Executes commands.
   *
   * @param <C> its commands
   */
  public interface Program<C> {
    /**
     * Executes the command and reports its result. On the worker thread; an exception ends the
     * thread and the JVM.
     */
    void execute(C command) throws InterruptedException;
  }

  /**
   * Runs a program; called by its main method, and once. Never returns while the harness lives.
   *
   * @param name of the worker thread
   * @param program made with the consumer of its events, which any thread may call
   * @throws IOException if standard input cannot be read
   */
  public static <C, E> void run(
      String name, Class<C> commandType, Function<Consumer<E>, Program<C>> program)
      throws IOException {
    // Standard output belongs to the protocol; whatever else is printed goes to the error stream.
    CommandLoop loop = new CommandLoop(System.out);
    System.setOut(System.err);
    BlockingQueue<C> commands = new ArrayBlockingQueue<>(COMMANDS_AHEAD);
    Program<C> executor = program.apply(loop::print);
    Thread worker = new Thread(() -> executeAll(commands, executor), "node-" + name);
    worker.setDaemon(true);
    worker.setUncaughtExceptionHandler(CommandLoop::end);
    worker.start();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      commands.add(JsonLines.read(line, commandType));
    }
    System.exit(0);
  }

  private static <C> void executeAll(BlockingQueue<C> commands, Program<C> program) {
    try {
      while (true) {
        program.execute(commands.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A program without its worker would only be silent. */
  private static void end(Thread worker, Throwable why) {
    why.printStackTrace();
    System.exit(1);
  }

  private void print(Object event) {
    synchronized (output) {
      output.println(JsonLines.write(event));
      output.flush();
    }
  }
}
