// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The class path of this JVM, as a JVM in another folder needs it. */
final class ClassPath {
  private ClassPath() {}

  static String absolute() {
    return absolute(System.getProperty("java.class.path"));
  }

  static String absolute(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().normalize().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
