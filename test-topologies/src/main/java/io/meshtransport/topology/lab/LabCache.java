// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Kernels and RAM disks, one folder for each pair of a kernel's version and a fingerprint of what
 * goes into the RAM disk. A folder appears complete, by renaming, so that labs that start at the
 * same time need no lock; checksums beside the files tell a broken folder, which is made anew.
 */
final class LabCache {
  /** Begins the names of folders that are being made. */
  static final String WORK = "make-";

  private static final String KERNEL = "vmlinuz";
  private static final String INITRD = "initrd.gz";

  private final Path folder;
  private final Consumer<String> progress;

  LabCache(Path folder, Consumer<String> progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /** Where users keep such things. */
  static Path defaultFolder() {
    return folderIn(System.getenv("XDG_CACHE_HOME"), System.getProperty("user.home"));
  }

  /**
   * In $XDG_CACHE_HOME, or in ~/.cache if that is unset or relative (XDG Base Directory
   * Specification).
   */
  static Path folderIn(String cacheHome, String home) {
    Path base =
        cacheHome == null || !Path.of(cacheHome).isAbsolute()
            ? Path.of(home, ".cache")
            : Path.of(cacheHome);
    return base.resolve("mesh-transport").resolve("lab");
  }

  /** The newest intact image; a broken one is taken away. */
  Optional<LabImage> find() throws IOException {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    List<Path> candidates;
    String suffix = "-" + InitrdBuilder.fingerprint();
    try (Stream<Path> children = Files.list(folder)) {
      candidates =
          children
              .filter(child -> child.getFileName().toString().endsWith(suffix))
              .sorted(
                  Comparator.comparing(
                          (Path child) -> child.getFileName().toString(),
                          KernelVersions.OLDEST_FIRST)
                      .reversed())
              .toList();
    }
    for (Path candidate : candidates) {
      if (Checksums.match(candidate)) {
        String name = candidate.getFileName().toString();
        String version = name.substring(0, name.length() - suffix.length());
        return Optional.of(image(version, candidate));
      }
      progress.accept("the cache is broken, so it is made anew: " + candidate);
      Folders.delete(candidate);
    }
    return Optional.empty();
  }

  private static LabImage image(String version, Path home) {
    return new LabImage(version, home.resolve(KERNEL), home.resolve(INITRD));
  }

  /**
   * As {@link #find}, and makes what is not there.
   *
   * @param isRoot whether apt may bring its lists up to date
   * @throws FabricException if a kernel can neither be found nor fetched
   */
  LabImage findOrMake(boolean isRoot) throws IOException {
    Files.createDirectories(folder);
    new CacheSweep(folder, Instant.now(), progress).interruptedWork();
    Optional<LabImage> found = find();
    if (found.isPresent()) {
      return found.get();
    }
    KernelPackage packages = new KernelPackage(folder, progress);
    Optional<Path> cached = packages.cached();
    if (cached.isPresent()) {
      try {
        return make(cached.get());
      } catch (FabricException e) {
        progress.accept("not a kernel package, so it is fetched anew: " + e.getMessage());
        Files.deleteIfExists(cached.get());
      }
    }
    return make(packages.fetch(isRoot));
  }

  private LabImage make(Path kernelPackage) throws IOException {
    progress.accept("making the guests' RAM disk from " + kernelPackage);
    Path work = Files.createTempDirectory(folder, WORK);
    try {
      Path unpacked = Files.createDirectory(work.resolve("unpacked"));
      KernelTree tree = KernelPackage.unpack(kernelPackage, unpacked);
      Path made = Files.createDirectory(work.resolve("made"));
      Files.copy(tree.kernel(), made.resolve(KERNEL));
      new InitrdBuilder(Programs.require("busybox")).build(tree.modules(), made.resolve(INITRD));
      Checksums.write(made, List.of(KERNEL, INITRD));
      Path home = folder.resolve(tree.version() + "-" + InitrdBuilder.fingerprint());
      publish(made, home);
      new CacheSweep(folder, Instant.now(), progress).imagesOfOthers(InitrdBuilder.fingerprint());
      return image(tree.version(), home);
    } finally {
      Folders.delete(work);
    }
  }

  private static void publish(Path made, Path home) throws IOException {
    try {
      Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // Another lab was faster: a folder that is not empty cannot be replaced, and is as good.
      if (!Checksums.match(home)) {
        throw e;
      }
    }
  }
}
