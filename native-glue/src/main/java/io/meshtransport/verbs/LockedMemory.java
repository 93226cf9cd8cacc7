// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether this process may lock the memory that channels over libibverbs register, for warnings
 * before a registration fails.
 */
public final class LockedMemory {
  /** The pool of one NIC, its control messages and queues, and some messages besides. */
  private static final long ENOUGH_BYTES = 64L << 20;

  /** Bit of capabilities(7), linux/capability.h. */
  private static final int CAP_IPC_LOCK = 14;

  private static final Pattern EFFECTIVE = Pattern.compile("(?m)^CapEff:\\s*([0-9a-f]+)");
  private static final Pattern BYTES = Pattern.compile("(\\d+) bytes");

  private LockedMemory() {}

  /** What is too little and how to change it; empty where there is enough, or no limit. */
  public static Optional<String> shortage() {
    try {
      return shortage(
          ProcessLimits.ofThisProcess(), Files.readString(Path.of("/proc/self/status")));
    } catch (IOException e) {
      // Without /proc there is no warning; a registration that fails has its own text.
      return Optional.empty();
    }
  }

  public static Optional<String> shortage(ProcessLimits limits, String status) {
    Matcher bytes = BYTES.matcher(limits.lockedMemory());
    if (!bytes.matches() || Long.parseLong(bytes.group(1)) >= ENOUGH_BYTES || isCapable(status)) {
      return Optional.empty();
    }
    return Optional.of(
        "this process may lock "
            + limits.lockedMemory()
            + ", and RDMA NICs use locked memory only: buffers, queues and control messages, counted"
            + " anew for each NIC. Raise it with `ulimit -l unlimited`, `* - memlock unlimited` in"
            + " /etc/security/limits.conf or LimitMEMLOCK=infinity of systemd; a container needs"
            + " `--ulimit memlock=-1` or the capability IPC_LOCK.");
  }

  private static boolean isCapable(String status) {
    Matcher effective = EFFECTIVE.matcher(status);
    return effective.find()
        && (Long.parseUnsignedLong(effective.group(1), 16) & 1L << CAP_IPC_LOCK) != 0;
  }
}
