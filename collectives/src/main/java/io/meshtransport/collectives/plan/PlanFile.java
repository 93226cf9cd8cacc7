// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * A plan in a file, to be used again: lines that begin with # say in words what it does, the others
 * are the hexadecimal digits of its encoding. Only the digits count.
 */
public final class PlanFile {
  /** Two digits for each byte, and as much for comments. */
  private static final long MAX_BYTES = 4L * CollectivePlan.MAX_ENCODED_BYTES;

  private static final int LINE = 96;
  private static final String COMMENT = "#";

  private PlanFile() {}

  /** Writes a plan; what was in the file is gone. */
  public static void write(Path file, CollectivePlan plan) throws IOException {
    StringBuilder text = new StringBuilder();
    plan.explain().lines().forEach(line -> text.append("# ").append(line).append('\n'));
    String digits = HexFormat.of().formatHex(plan.encoded());
    for (int at = 0; at < digits.length(); at += LINE) {
      text.append(digits, at, Math.min(digits.length(), at + LINE)).append('\n');
    }
    Files.writeString(file, text);
  }

  /**
   * Reads a plan.
   *
   * @throws IOException if the file cannot be read, or holds no plan, with the reason
   */
  public static CollectivePlan read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is no plan: it has more than " + MAX_BYTES + " bytes");
    }
    String digits =
        Files.readString(file)
            .lines()
            .filter(line -> !line.startsWith(COMMENT))
            .map(String::strip)
            .collect(Collectors.joining());
    try {
      return CollectivePlan.decoded(HexFormat.of().parseHex(digits));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          file + ": " + e.getMessage() + ". Write it again with `./mesh plan --save FILE`", e);
    }
  }
}
