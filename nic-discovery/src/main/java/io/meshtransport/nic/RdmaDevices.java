// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The RDMA devices of a host, as sysfs listed them at one moment. A value.
 *
 * <p>A device that is removed while programs have it open, and that the kernel cannot detach from
 * them (Soft-RoCE), stays in {@code class/infiniband} with its port ACTIVE until the last program
 * closes it. Its verbs device disappears at once, so that it can no longer be opened.
 *
 * @param names names of all devices, sorted
 * @param leaving names of those without a verbs device, which are being removed or added
 */
record RdmaDevices(List<String> names, Set<String> leaving) {
  /** Folder of the RDMA devices, below sysfs. */
  static final String FOLDER = "class/infiniband";

  /**
   * Folder of the devices that programs open, below sysfs: absent in recordings and without
   * ib_uverbs.
   */
  private static final String VERBS_FOLDER = "class/infiniband_verbs";

  private static final String VERBS_DEVICE = "uverbs";

  /**
   * Reads them.
   *
   * @throws UncheckedIOException if they cannot be read now, as in a process out of file
   *     descriptors; this does not mean that there are none
   */
  static RdmaDevices of(Path sysfs) {
    // The kernel adds a device's verbs device last.
    List<String> names = names(sysfs.resolve(FOLDER));
    Path verbs = sysfs.resolve(VERBS_FOLDER);
    Set<String> leaving = new HashSet<>();
    if (!names.isEmpty() && Files.exists(verbs)) {
      leaving.addAll(names);
      names(verbs).stream()
          .filter(name -> name.startsWith(VERBS_DEVICE))
          .forEach(name -> device(verbs.resolve(name)).ifPresent(leaving::remove));
    }
    return new RdmaDevices(names, leaving);
  }

  boolean isLeaving(String device) {
    return leaving.contains(device);
  }

  /** Names of the devices that programs can open. */
  List<String> openable() {
    return names.stream().filter(name -> !isLeaving(name)).toList();
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw unreadable(folder, e);
    }
  }

  /** The device of a verbs device; empty if it disappears at this moment. */
  private static Optional<String> device(Path verbsDevice) {
    Path file = verbsDevice.resolve("ibdev");
    try {
      return Optional.of(Files.readString(file, StandardCharsets.UTF_8).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (FileSystemException e) {
      throw unreadable(file, e);
    } catch (IOException e) {
      return Optional.empty(); // ENODEV: it disappeared between open and read.
    }
  }

  private static UncheckedIOException unreadable(Path path, IOException why) {
    return new UncheckedIOException("cannot read this host's RDMA devices at " + path, why);
  }
}
