// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel calls this host; asks no resolver, so it cannot wait. */
final class HostName {
  /** See proc(5). */
  private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

  private static final String UNKNOWN = "unnamed";

  private HostName() {}

  /** A valid node name; on a host that does not say its name, one that says just that. */
  static String read() {
    try {
      return shorten(Files.readString(KERNEL_NAME, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return UNKNOWN; // Not Linux, or no /proc: a name for logs is not worth failing for.
    }
  }

  /** A name may have 64 bytes (hostname(7)): take its first label, and of that what fits. */
  static String shorten(String name) {
    int dot = name.indexOf('.');
    StringBuilder fitting = new StringBuilder();
    int lengthBytes = 0;
    for (int codePoint : name.substring(0, dot < 0 ? name.length() : dot).codePoints().toArray()) {
      lengthBytes += Character.toString(codePoint).getBytes(StandardCharsets.UTF_8).length;
      if (lengthBytes > TextDomains.MAX_NODE_BYTES || Character.isISOControl(codePoint)) {
        break;
      }
      fitting.appendCodePoint(codePoint);
    }
    return fitting.isEmpty() ? UNKNOWN : fitting.toString();
  }
}
