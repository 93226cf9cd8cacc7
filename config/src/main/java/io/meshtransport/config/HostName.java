// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The host name that the kernel has. Queries no resolver, so it cannot block. */
public final class HostName {
  /** See proc(5). */
  private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

  private static final String UNKNOWN = "unnamed";

  private HostName() {}

  /** A valid node name; {@value #UNKNOWN} on a host whose name cannot be read. */
  public static String read() {
    try {
      return shorten(Files.readString(KERNEL_NAME, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return UNKNOWN; // Not Linux, or no /proc: a name for logs is no reason to fail.
    }
  }

  /** Cuts a name, which may have 64 bytes (hostname(7)), to its first label and 32 bytes. */
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
