package io.meshtransport.topology;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * One node of a mesh, a JVM of its own. Reads commands from standard input, answers on standard
 * output, and ends when standard input does, so it never outlives its harness.
 */
public final class NodeMain {
  private static final int COMMANDS_AHEAD = 64;

  private NodeMain() {}

  /**
   * @param arguments the node's name
   */
  public static void main(String[] arguments) throws IOException {
    // Standard output belongs to the protocol; whatever else is printed goes to the error stream.
    PrintStream events = System.out;
    System.setOut(System.err);
    BlockingQueue<NodeCommand> commands = new ArrayBlockingQueue<>(COMMANDS_AHEAD);
    NodeProgram program = new NodeProgram(arguments[0], event -> print(events, event));
    Thread worker = new Thread(() -> program.run(commands), "node-" + arguments[0]);
    worker.setDaemon(true);
    worker.setUncaughtExceptionHandler(NodeMain::end);
    worker.start();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      commands.add(JsonLines.read(line, NodeCommand.class));
    }
    System.exit(0);
  }

  /** A node without its worker would only be silent. */
  private static void end(Thread worker, Throwable why) {
    why.printStackTrace();
    System.exit(1);
  }

  private static void print(PrintStream events, NodeEvent event) {
    synchronized (events) {
      events.println(JsonLines.write(event));
      events.flush();
    }
  }
}
