// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What this runs on, in words: figures mean nothing without it. */
public final class Machine {
  private Machine() {}

  /** Processor, cores, kernel and JVM. */
  public static String describe() {
    return "%s, %d cores, %s %s, %s %s"
        .formatted(
            processor(cpuInfo()),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("java.vm.name"),
            System.getProperty("java.runtime.version"));
  }

  private static List<String> cpuInfo() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo"));
    } catch (IOException e) {
      throw new UncheckedIOException("/proc is Linux's, and namespaces are too", e);
    }
  }

  /** What /proc/cpuinfo calls the first processor; not every architecture gives it a name. */
  static String processor(List<String> cpuInfo) {
    return cpuInfo.stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unnamed processor (" + System.getProperty("os.arch") + ")");
  }
}
