// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import java.io.IOException;
import java.io.StringReader;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** The Javas of this host: those that call through java.lang.foreign, and those that do not. */
public final class NewerJava {
  /** The first where java.lang.foreign is final (JEP 454). */
  static final int FIRST = 22;

  /** The JVM prints a warning for each program that has not opted out (JEP 498). */
  static final int FIRST_TO_WARN_OF_UNSAFE = 24;

  /** What newer Javas load instead; only a jar makes them do so. */
  private static final String OVERLAY =
      "META-INF/versions/22/io/meshtransport/verbs/ibverbs/InlineBinding.class";

  private static final Path INSTALLED = Path.of("/usr/lib/jvm");

  private NewerJava() {}

  /**
   * The home of one that is new enough: of this JVM, or one in /usr/lib/jvm. None, where the class
   * path has no classes for it.
   */
  public static Optional<Path> find() throws IOException {
    URL overlay = NewerJava.class.getClassLoader().getResource(OVERLAY);
    if (overlay == null || !overlay.getProtocol().equals("jar")) {
      return Optional.empty();
    }
    return find(FIRST);
  }

  /**
   * The home of one that is new enough: of this JVM, or one in /usr/lib/jvm.
   *
   * @param first feature release, 22 for example
   * @throws IOException if that folder cannot be listed
   */
  public static Optional<Path> find(int first) throws IOException {
    return candidates().stream().filter(home -> version(home) >= first).findFirst();
  }

  /** The home of one that still calls through JNA. */
  public static Optional<Path> findOlder() throws IOException {
    return candidates().stream()
        .filter(home -> version(home) >= Runtime.Version.parse("17").feature())
        .filter(home -> version(home) < FIRST)
        .findFirst();
  }

  private static List<Path> candidates() throws IOException {
    List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    if (Files.isDirectory(INSTALLED)) {
      try (Stream<Path> installed = Files.list(INSTALLED)) {
        installed.sorted().forEach(homes::add);
      }
    }
    return homes;
  }

  /** From the file that every JDK has; 0 where there is none. */
  static int version(Path home) {
    Path release = home.resolve("release");
    if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isReadable(release)) {
      return 0;
    }
    try {
      return versionIn(Files.readString(release));
    } catch (IOException e) {
      return 0;
    }
  }

  /** As in {@code JAVA_VERSION="25.0.3"}; 0 if it does not say. */
  static int versionIn(String release) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(release));
    String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
    return Integer.parseInt(version.split("[.\\-+_]")[0]);
  }
}
