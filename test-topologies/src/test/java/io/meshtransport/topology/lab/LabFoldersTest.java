// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders of labs: what belongs to a running one stays, what a killed one left behind goes. */
class LabFoldersTest {
  private static final long LIMIT_S = 30;

  private static final int NOBODY = 65_534;

  /** Above what Linux gives out. */
  private static final long NO_PID = 1 << 23;

  @TempDir private Path temporary;
  private final List<String> reports = new ArrayList<>();

  private void removeStale() {
    new StaleLabs(temporary, reports::add).remove();
  }

  private Path leftover(long pid, boolean hasLock) throws IOException {
    Path folder = Files.createDirectory(temporary.resolve("mesh-lab-" + pid + "-x"));
    Files.writeString(folder.resolve("a.console"), "");
    if (hasLock) {
      Files.writeString(folder.resolve("lock"), "");
    }
    return folder;
  }

  @Test
  void shouldRemoveWhatDeadLabsLeftAndNothingElse() throws Exception {
    Path dead = leftover(NO_PID, true);
    Path halfDeleted = leftover(NO_PID + 1, false);
    Path other = Files.createDirectory(temporary.resolve("mesh-lab-out-123"));
    // Process 1 lives: a folder of another container's first process, or one that is being made.
    Path young = leftover(1, false);
    // But no process has its lock.
    Path sameNumber = Files.createDirectory(temporary.resolve("mesh-lab-1-y"));
    Files.writeString(sameNumber.resolve("lock"), "");

    try (LabFolder running = LabFolder.create(temporary)) {
      removeStale();

      assertTrue(Files.exists(running.path().resolve("lock")));
    }
    assertFalse(Files.exists(dead));
    assertFalse(Files.exists(halfDeleted));
    assertFalse(Files.exists(sameNumber));
    assertTrue(Files.exists(other));
    assertTrue(Files.exists(young));
    assertEquals(List.of(), reports);
    try (var left = Files.list(temporary)) {
      assertEquals(2, left.count(), "a lab that ends takes its folder away");
    }
  }

  @Test
  void shouldLeaveAloneWhatIsAnotherUsers() throws Exception {
    Path foreign = leftover(NO_PID, true);
    Path shared = leftover(NO_PID + 1, true);
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path target = Files.createDirectory(temporary.resolve("target"));
    Files.writeString(target.resolve("kept"), "");
    Path link =
        Files.createSymbolicLink(temporary.resolve("mesh-lab-" + (NO_PID + 2) + "-z"), target);
    boolean isRoot = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    if (isRoot) {
      Files.setAttribute(foreign, "unix:uid", NOBODY);
    }

    removeStale();

    assertEquals(isRoot, Files.exists(foreign.resolve("lock")));
    assertTrue(Files.exists(shared.resolve("lock")), "where others may write, others may have");
    assertTrue(Files.exists(link));
    assertTrue(Files.exists(target.resolve("kept")));
    assertEquals(List.of(), reports);
    if (isRoot) {
      Files.setAttribute(foreign, "unix:uid", 0);
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldNotOpenALockThatIsNoOrdinaryFile() throws Exception {
    Path pipe = leftover(NO_PID, false).resolve("lock");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    Path secret = Files.writeString(temporary.resolve("secret"), "of the host");
    Path link = leftover(NO_PID + 1, false).resolve("lock");
    Files.createSymbolicLink(link, secret);

    removeStale();

    assertTrue(Files.exists(pipe));
    assertTrue(Files.exists(link));
    assertEquals(2, reports.size(), reports.toString());
    assertTrue(reports.get(0).contains("its lock is no ordinary file"), reports.get(0));
    assertEquals("of the host", Files.readString(secret));
  }

  @Test
  void shouldLeaveAFolderToTheProcessThatHasLockedIt() throws Exception {
    Path folder = leftover(NO_PID, true);
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                ClassPath.absolute(),
                LockHolder.class.getName(),
                folder.resolve("lock").toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertEquals('1', holder.getInputStream().read());

      removeStale();

      assertTrue(Files.exists(folder.resolve("a.console")));
    } finally {
      holder.destroyForcibly().waitFor(LIMIT_S, TimeUnit.SECONDS);
    }
    removeStale();
    assertFalse(Files.exists(folder));
  }

  @Test
  void shouldEndEmulatorsThatStillUseTheFolderOfADeadLab() throws Exception {
    Path folder = leftover(NO_PID, true);
    Process emulator = tail("qemu-system-fake", folder.resolve("a.console"));
    Process other = tail("somebody-else", folder.resolve("a.console"));
    try {
      removeStale();

      assertTrue(emulator.waitFor(LIMIT_S, TimeUnit.SECONDS));
      assertTrue(other.isAlive());
      assertFalse(Files.exists(folder));
    } finally {
      emulator.destroyForcibly();
      other.destroyForcibly();
    }
  }

  /** A program under another name, which has this file on its command line, and runs already. */
  private static Process tail(String name, Path file) throws IOException {
    Files.writeString(file, "x");
    Process process =
        new ProcessBuilder("bash", "-c", "exec -a \"$0\" tail -f \"$1\"", name, file.toString())
            .start();
    assertEquals('x', process.getInputStream().read());
    return process;
  }

  @Test
  void shouldCopyFilesButNotWhatLinksPointTo() throws Exception {
    Path from = Files.createDirectories(temporary.resolve("from").resolve("in")).getParent();
    Path secret = Files.writeString(temporary.resolve("secret"), "of the host");
    Files.writeString(from.resolve("in").resolve("file"), "1");
    Path link = Files.createSymbolicLink(from.resolve("link"), secret);
    Path dangling = Files.createSymbolicLink(from.resolve("dangling"), Path.of("/not/there"));
    Path linkToFolder = Files.createSymbolicLink(from.resolve("folder"), temporary);
    List<Path> leftOut = new ArrayList<>();

    Path to = temporary.resolve("to");
    Folders.copy(from, to, leftOut::add);
    Folders.copy(from, to, file -> {});

    assertEquals("1", Files.readString(to.resolve("in").resolve("file")));
    assertEquals(List.of(dangling, linkToFolder, link), leftOut.stream().sorted().toList());
    assertFalse(Files.exists(to.resolve("link"), LinkOption.NOFOLLOW_LINKS));

    Folders.delete(from);
    Folders.delete(from);
    assertFalse(Files.exists(from));
    assertEquals("of the host", Files.readString(secret));
  }
}
