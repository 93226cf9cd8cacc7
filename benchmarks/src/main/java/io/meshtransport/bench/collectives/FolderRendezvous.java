// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.collectives.Rendezvous;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Members of one host find each other by a folder, with a file for each: where nodes are addresses
 * of one loopback interface, there is no mesh to join. Any thread.
 *
 * @param folder that all members see, and the creator's to remove
 */
record FolderRendezvous(Path folder) implements Rendezvous {
  private static final String SUFFIX = ".handle";

  @Override
  public void publish(String member, byte[] handle) {
    try {
      Path written = Files.write(folder.resolve(member), handle);
      // A reader never sees half of a handle.
      Files.move(written, file(member), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot publish the handle of " + member, e);
    }
  }

  @Override
  public List<String> members() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + folder, e);
    }
  }

  @Override
  public Optional<byte[]> handle(String member) {
    try {
      return Optional.of(Files.readAllBytes(file(member)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the handle of " + member, e);
    }
  }

  private Path file(String member) {
    return folder.resolve(member + SUFFIX);
  }
}
