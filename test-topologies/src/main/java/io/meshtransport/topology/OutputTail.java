// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** The end of what a node printed on its error stream, for when it matters. Any thread. */
public final class OutputTail {
  private static final int LIMIT = 40;

  private final Deque<String> lines = new ArrayDeque<>();
  private final Consumer<String> echo;

  /**
   * @param echo sees each line as it comes
   */
  public OutputTail(Consumer<String> echo) {
    this.echo = echo;
  }

  /** Drops the oldest line if the buffer is full. */
  public void add(String line) {
    synchronized (this) {
      if (lines.size() == LIMIT) {
        lines.remove();
      }
      lines.add(line);
    }
    echo.accept(line);
  }

  @Override
  public synchronized String toString() {
    return String.join("\n", lines);
  }
}
