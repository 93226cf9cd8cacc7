// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The folder of a running lab: sockets, consoles, what guests write. A lock on a file in it tells
 * other processes, also those that see no process id of ours, that it is in use; the kernel gives
 * it back however this process ends.
 */
final class LabFolder implements AutoCloseable {
  static final String PREFIX = "mesh-lab-";
  static final String LOCK = "lock";

  private final Path path;
  private final FileChannel lock;

  private LabFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /** A new one, for this process. */
  static LabFolder create(Path temporary) throws IOException {
    Path path = Files.createTempDirectory(temporary, PREFIX + ProcessHandle.current().pid() + "-");
    FileChannel lock =
        FileChannel.open(
            path.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      lock.close();
      throw new IOException("another process has locked the new folder " + path);
    }
    return new LabFolder(path, lock);
  }

  Path path() {
    return path;
  }

  /** Takes it away with all that is in it; what cannot be deleted is the next lab's to remove. */
  @Override
  public void close() throws IOException {
    try (lock) {
      Folders.delete(path);
    }
  }
}
