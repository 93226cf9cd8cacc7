// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits of this process from {@code /proc/self/limits} (man 5 proc, man 2 getrlimit).
 *
 * @param lockedMemory RLIMIT_MEMLOCK, as text
 * @param openFiles RLIMIT_NOFILE, as text
 */
public record ProcessLimits(String lockedMemory, String openFiles) {
  private static final String UNKNOWN = "an unknown amount";

  /** Read anew, for limits can be changed from outside. */
  public static ProcessLimits ofThisProcess() {
    return of(Path.of("/proc/self/limits"));
  }

  public static ProcessLimits of(Path file) {
    try {
      String text = Files.readString(file);
      return new ProcessLimits(
          softLimit(text, "Max locked memory", " bytes"), softLimit(text, "Max open files", ""));
    } catch (IOException e) {
      // The limits only explain a failure that is reported anyway.
      return new ProcessLimits(UNKNOWN, UNKNOWN);
    }
  }

  private static String softLimit(String text, String name, String unit) {
    Matcher line = Pattern.compile("(?m)^" + name + "\\s+(\\S+)").matcher(text);
    return line.find() ? line.group(1) + (line.group(1).equals("unlimited") ? "" : unit) : UNKNOWN;
  }

  /** A text with its placeholders replaced. */
  public String fill(String text) {
    return text.replace("${memlock}", lockedMemory).replace("${files}", openFiles);
  }
}
