// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

/**
 * Ctrl-C or SIGTERM during a demo. The nodes end with this process, which its main thread would
 * report as their failure; so the verdict is printed from a shutdown hook, and nothing after it.
 * Made by the command before it begins, and withdrawn once, before its own verdict.
 */
final class DemoInterruption {
  private final Thread hook;

  DemoInterruption(DemoProgress progress) {
    this.hook =
        new Thread(() -> progress.printLast("demo: FAIL: interrupted"), "mesh-demo-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns whether it has happened: the verdict is then printed, or about to be. */
  boolean hasHappened() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException e) {
      return true; // This process is ending, so hooks can no longer be removed.
    }
  }
}
