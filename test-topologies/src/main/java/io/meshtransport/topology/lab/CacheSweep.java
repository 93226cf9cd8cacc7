// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Removes from the cache what is not needed any more: remains of interrupted preparations, and
 * images of other versions of the lab. Decides by age alone, since users of the cache may not see
 * each other's processes. What cannot be removed is reported.
 */
final class CacheSweep {
  /** Each tool of a preparation has a limit, and together they have less than this. */
  static final Duration WORK_AGE = Duration.ofHours(1);

  /** Two versions that are in use by turns do not take each other's image away every day. */
  static final Duration IMAGE_AGE = Duration.ofDays(7);

  private static final Pattern WORK =
      Pattern.compile("(" + LabCache.WORK + "|" + KernelPackage.WORK + ")\\d+");
  private static final Pattern IMAGE = Pattern.compile("\\d.*-[0-9a-f]{12}");

  private final Path folder;
  private final Instant now;
  private final Consumer<String> report;

  CacheSweep(Path folder, Instant now, Consumer<String> report) {
    this.folder = folder;
    this.now = now;
    this.report = report;
  }

  void interruptedWork() {
    sweep(name -> WORK.matcher(name).matches(), WORK_AGE);
  }

  /**
   * @param fingerprint of images to keep
   */
  void imagesOfOthers(String fingerprint) {
    sweep(name -> IMAGE.matcher(name).matches() && !name.endsWith("-" + fingerprint), IMAGE_AGE);
  }

  private void sweep(Predicate<String> isWanted, Duration age) {
    try (Stream<Path> children = Files.list(folder)) {
      children
          .filter(each -> isWanted.test(each.getFileName().toString()))
          .forEach(each -> deleteIfOlder(each, now.minus(age)));
    } catch (IOException | UncheckedIOException e) {
      report.accept("the cache is not tidied up: " + e);
    }
  }

  private void deleteIfOlder(Path each, Instant limit) {
    try {
      if (Files.getLastModifiedTime(each).toInstant().isBefore(limit)) {
        Folders.delete(each);
      }
    } catch (IOException e) {
      report.accept("not needed any more, and cannot be removed: " + each + ": " + e);
    }
  }
}
