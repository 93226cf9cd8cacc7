// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.downcalls.NewerJava;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The demo of Jlama as it was built beside this program. It is no part of the class path here: it
 * needs a newer Java, and no other module needs its libraries.
 *
 * @param java the home of a Java that is new enough
 * @param jar of the module; its libraries are in {@code lib} beside it
 */
record JlamaModule(Path java, Path jar) {
  /** What the module is compiled for. */
  static final int FIRST_JAVA = 22;

  private static final String PROGRAM = "io.meshtransport.jlama.JlamaDemoMain";

  /** The Java to use, if there is one, and where the module is if it was built. */
  record Host(Optional<Path> java, Path target) {
    /** This host. */
    static Host find() throws IOException {
      return new Host(NewerJava.find(FIRST_JAVA), builtBeside(JlamaModule.class));
    }

    private static Path builtBeside(Class<?> program) {
      try {
        // .../cli/target/mesh-cli.jar, or .../cli/target/classes
        Path own = Path.of(program.getProtectionDomain().getCodeSource().getLocation().toURI());
        return own.resolve("../../../integrations/jlama/target").normalize();
      } catch (URISyntaxException e) {
        throw new IllegalStateException("a class path is made of files", e);
      }
    }

    private Path jar() {
      return target.resolve("mesh-jlama.jar");
    }

    /** Why the demo has to be left out; empty if nothing speaks against it. */
    Optional<String> obstacle() {
      if (java.isEmpty()) {
        return Optional.of(
            "it needs Java %d or newer, and there is none in /usr/lib/jvm. Install a JDK of it"
                .formatted(FIRST_JAVA));
      }
      return Files.isReadable(jar())
          ? Optional.empty()
          : Optional.of(
              "%s was not built: it takes a JDK %d or newer when ./mesh builds"
                  .formatted(jar(), FIRST_JAVA));
    }

    /** The module of a host without an obstacle. */
    JlamaModule module() {
      return new JlamaModule(java.orElseThrow(), jar());
    }
  }

  /** What starts the program; its output is the caller's to read. */
  ProcessBuilder command(List<String> arguments) {
    ProcessBuilder builder =
        new ProcessBuilder(
            java.resolve("bin/java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            jar + File.pathSeparator + jar.resolveSibling("lib") + File.separator + "*",
            PROGRAM);
    builder.command().addAll(arguments);
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
  }
}
