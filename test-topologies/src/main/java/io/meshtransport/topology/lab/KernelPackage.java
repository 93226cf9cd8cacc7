// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The distribution's newest kernel for ordinary machines, as a package file in the cache: fetched
 * by apt, unpacked, never installed.
 */
final class KernelPackage {
  /** Depends on the newest kernel of Debian. */
  private static final String META = "linux-image-amd64";

  /** Begins the names of folders to download into. */
  static final String WORK = "fetch-";

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Path folder;
  private final Consumer<String> progress;

  KernelPackage(Path folder, Consumer<String> progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /** The newest that was fetched before. */
  Optional<Path> cached() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("linux-image-.*\\.deb"))
          .max(
              Comparator.comparing(
                  file -> file.getFileName().toString(), KernelVersions.OLDEST_FIRST));
    }
  }

  /**
   * Downloads it; a reader of the cache sees all of it or nothing.
   *
   * @throws FabricException if apt cannot
   */
  Path fetch(boolean isRoot) throws IOException {
    Path work = Files.createTempDirectory(folder, WORK);
    try {
      try {
        download(work);
      } catch (FabricException e) {
        if (!isRoot) {
          throw new FabricException(
              e.getMessage() + ". If the lists of packages are old: sudo apt-get update", e);
        }
        progress.accept("apt does not have it: " + e.getMessage());
        progress.accept("apt-get update");
        new HostProgram(work, LIMIT, "apt-get", "update", "-qq").run();
        download(work);
      }
      try (Stream<Path> files = Files.list(work)) {
        Path file =
            files.filter(each -> each.toString().endsWith(".deb")).findFirst().orElseThrow();
        return Files.move(file, folder.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      Folders.delete(work);
    }
  }

  private void download(Path work) {
    String name =
        newest(new HostProgram(work, LIMIT, "apt-cache", "depends", META).run())
            .orElseThrow(() -> new FabricException("apt knows no kernel package " + META));
    progress.accept("downloading the kernel package " + name + " (unpacked, never installed)");
    new HostProgram(work, LIMIT, "apt-get", "download", "-qq", name).run();
  }

  /**
   * The kernel in what {@code apt-cache depends} prints: {@code Depends: linux-image-6.1.0-...}.
   */
  static Optional<String> newest(String aptCacheDepends) {
    return aptCacheDepends
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("Depends: linux-image-"))
        .map(line -> line.substring("Depends: ".length()))
        .findFirst();
  }

  /** Unpacks it below a folder, and lets depmod(8) write down what depends on what. */
  static KernelTree unpack(Path file, Path target) throws IOException {
    new HostProgram(target, LIMIT, "dpkg-deb", "-x", file.toString(), target.toString()).run();
    KernelTree tree = KernelTree.in(target);
    List<String> depmod = List.of(Programs.require("depmod").toString(), "-b");
    new HostProgram(
            target, LIMIT, depmod.get(0), depmod.get(1), tree.base().toString(), tree.version())
        .run();
    return tree;
  }
}
