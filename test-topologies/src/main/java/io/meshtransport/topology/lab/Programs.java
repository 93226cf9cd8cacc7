// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds programs of the host, also those that only root has on the PATH. */
final class Programs {
  private Programs() {}

  static Optional<Path> find(String name) {
    List<String> folders = new ArrayList<>(List.of(System.getenv("PATH").split(":")));
    folders.addAll(List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin"));
    return folders.stream()
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * @throws FabricException if there is no such program
   */
  static Path require(String name) {
    return find(name).orElseThrow(() -> new FabricException("there is no program " + name));
  }
}
