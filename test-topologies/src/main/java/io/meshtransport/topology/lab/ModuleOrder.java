// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which kernel modules have to be loaded, and in which order, so that some wanted ones work. Reads
 * modules.dep (modules.dep(5)), one line {@code FILE: DEPENDENCY...} per module.
 */
final class ModuleOrder {
  private final Map<String, String> fileByName = new HashMap<>();
  private final Map<String, List<String>> dependenciesByFile = new HashMap<>();

  ModuleOrder(List<String> modulesDep) {
    for (String line : modulesDep) {
      int colon = line.indexOf(':');
      String file = line.substring(0, colon);
      fileByName.put(nameOf(file), file);
      String dependencies = line.substring(colon + 1).strip();
      dependenciesByFile.put(
          file, dependencies.isEmpty() ? List.of() : List.of(dependencies.split(" +")));
    }
  }

  /** Of an unpacked kernel, after depmod(8). */
  static ModuleOrder of(Path modules) throws IOException {
    return new ModuleOrder(Files.readAllLines(modules.resolve("modules.dep")));
  }

  /** rdma_rxe of {@code kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko.xz}. */
  private static String nameOf(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return name.substring(0, name.indexOf(".ko")).replace('-', '_');
  }

  /**
   * Files to load, each after all it needs. A module the kernel has built in is not among them.
   *
   * @param builtIn names of the modules the kernel has built in
   * @throws FabricException if the kernel has no such module
   */
  List<String> files(List<String> wanted, Set<String> builtIn) {
    Set<String> ordered = new LinkedHashSet<>();
    for (String name : wanted) {
      String file = fileByName.get(name);
      if (file != null) {
        add(file, ordered);
      } else if (!builtIn.contains(name)) {
        throw new FabricException("this kernel has no module " + name);
      }
    }
    return new ArrayList<>(ordered);
  }

  private void add(String file, Set<String> ordered) {
    // Modules cannot depend on each other in a circle: the kernel could load neither.
    dependenciesByFile.get(file).forEach(dependency -> add(dependency, ordered));
    ordered.add(file);
  }

  /** Names in modules.builtin, one file per line. */
  static Set<String> builtIn(Path modules) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    for (String file : Files.readAllLines(modules.resolve("modules.builtin"))) {
      names.add(nameOf(file));
    }
    return names;
  }
}
