// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Another process with a lab: locks a file, prints 1, and keeps the lock until its input ends. */
final class LockHolder {
  private LockHolder() {}

  public static void main(String[] arguments) throws IOException {
    try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
      System.out.println(channel.tryLock() == null ? 0 : 1);
      System.in.read();
    }
  }
}
