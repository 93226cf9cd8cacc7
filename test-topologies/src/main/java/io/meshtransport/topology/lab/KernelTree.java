// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * An unpacked kernel package.
 *
 * @param base the folder that has lib/modules
 * @param version as in {@code 6.1.0-56-amd64}
 * @param kernel the file that boots
 */
record KernelTree(Path base, String version, Path kernel) {
  /**
   * @throws FabricException if there is no kernel in it
   */
  static KernelTree in(Path root) throws IOException {
    // Debian moved modules below /usr in the release after 12.
    for (Path base : List.of(root, root.resolve("usr"))) {
      Path all = base.resolve("lib").resolve("modules");
      if (Files.isDirectory(all)) {
        String version = onlyChild(all).getFileName().toString();
        return new KernelTree(base, version, root.resolve("boot").resolve("vmlinuz-" + version));
      }
    }
    throw new FabricException("no lib/modules in the kernel package unpacked in " + root);
  }

  private static Path onlyChild(Path folder) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children
          .findFirst()
          .orElseThrow(() -> new FabricException("no kernel's modules in " + folder));
    }
  }

  Path modules() {
    return base.resolve("lib").resolve("modules").resolve(version);
  }
}
