// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What killed labs have left behind: a folder each, and emulators of guests that had no agent yet,
 * for all others end when their agent loses its connection. The next lab ends and removes them; one
 * that cannot be removed is reported and does no harm.
 */
final class StaleLabs {
  private static final Pattern NAME = Pattern.compile(LabFolder.PREFIX + "(\\d+)-.*");
  private static final String EMULATOR = "qemu-system-";
  private static final long END_LIMIT_S = 10;

  private final Path temporary;
  private final Consumer<String> report;

  /**
   * @param temporary where labs have their folders
   * @param report sees a line for each that cannot be removed
   */
  StaleLabs(Path temporary, Consumer<String> report) {
    this.temporary = temporary;
    this.report = report;
  }

  void remove() {
    try (Stream<Path> children = Files.list(temporary)) {
      children.filter(StaleLabs::mayBeStale).forEach(this::removeIfStale);
    } catch (IOException | UncheckedIOException e) {
      report.accept("folders of earlier labs are not looked for: " + e);
    }
  }

  /**
   * Whether it is a lab's, and not one of this process: to open its lock file again would drop the
   * locks.
   */
  private static boolean mayBeStale(Path folder) {
    Matcher matcher = NAME.matcher(folder.getFileName().toString());
    return matcher.matches() && Long.parseLong(matcher.group(1)) != ProcessHandle.current().pid();
  }

  private void removeIfStale(Path folder) {
    Path lock = folder.resolve(LabFolder.LOCK);
    try {
      // Another user's is not ours to take away, nor to open: root could write anywhere.
      if (!Folders.isOwn(folder)) {
        return;
      }
      if (!Files.exists(lock, LinkOption.NOFOLLOW_LINKS)) {
        // Just being made, or half deleted.
        if (hasMakerEnded(folder)) {
          end(folder);
        }
        return;
      }
      if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
        // To open a pipe would wait for its reader.
        report.accept(folder + " of an earlier lab is left behind: its lock is no ordinary file");
        return;
      }
      try (FileChannel channel =
              FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
          FileLock held = channel.tryLock()) {
        if (held != null) {
          end(folder);
        }
      }
    } catch (NoSuchFileException e) {
      // Another process has removed it.
    } catch (IOException | CompletionException e) {
      report.accept(folder + " of an earlier lab is left behind: " + e);
    }
  }

  private static boolean hasMakerEnded(Path folder) {
    Matcher matcher = NAME.matcher(folder.getFileName().toString());
    return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
  }

  private static void end(Path folder) throws IOException {
    List<ProcessHandle> emulators =
        ProcessHandle.allProcesses().filter(each -> isEmulatorOf(folder, each.pid())).toList();
    emulators.forEach(ProcessHandle::destroyForcibly);
    emulators.forEach(each -> each.onExit().orTimeout(END_LIMIT_S, TimeUnit.SECONDS).join());
    Folders.delete(folder);
  }

  /** Its command line, as proc(5) has it, names files of the folder. */
  private static boolean isEmulatorOf(Path folder, long pid) {
    try {
      byte[] bytes = Files.readAllBytes(Path.of("/proc", String.valueOf(pid), "cmdline"));
      String line = new String(bytes, StandardCharsets.UTF_8);
      return line.split("\0", 2)[0].contains(EMULATOR) && line.contains(folder + "/");
    } catch (IOException e) {
      // It has ended in the meantime.
      return false;
    }
  }
}
