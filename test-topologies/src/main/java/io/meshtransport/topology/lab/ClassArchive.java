// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/**
 * The classes of a class path as a JVM maps them into its memory, made by the host for programs in
 * guests: to read and link them takes half of the time that such a program needs to start. A JVM
 * that cannot use it loads classes as ever. It takes class paths of jars alone, so folders are
 * packed.
 */
public final class ClassArchive {
  /**
   * What of other people's jars programs in guests load; all of a jar would be more than needed.
   */
  private static final List<String> WANTED =
      List.of(
          "io/meshtransport/",
          "com/fasterxml/jackson/",
          "com/sun/jna/",
          "io/netty/",
          "org/HdrHistogram/",
          "org/apache/logging/log4j/",
          "org/jgroups/",
          "org/junit/");

  /** On a busy host; on an idle one ten seconds, while guests boot. */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
  private static final Path JAVA = JAVA_HOME.resolve("bin/java");
  private static final String CLASS_FILE = ".class";

  /** The archive of this JVM's class path, once requested. */
  private static CompletableFuture<Optional<ClassArchive>> ofThisProcess;

  private final List<String> classPaths;
  private final String packedClassPath;
  private final Path file;

  private ClassArchive(List<String> classPaths, String packedClassPath, Path file) {
    this.classPaths = classPaths;
    this.packedClassPath = packedClassPath;
    this.file = file;
  }

  /**
   * Begins to create the archive of this JVM's class path, for all its programs in guests from now
   * on; it is deleted with this process. Neither waits nor fails: without it programs start slower,
   * which is printed.
   */
  public static synchronized void begin() {
    if (ofThisProcess != null) {
      return;
    }
    CompletableFuture<Optional<ClassArchive>> made = new CompletableFuture<>();
    Thread maker =
        new Thread(
            () -> {
              try {
                made.complete(makeOurs());
              } finally {
                // Whatever happens, no wait for the archive lasts for ever.
                made.complete(Optional.empty());
              }
            },
            "mesh-lab-class-archive");
    maker.setDaemon(true);
    maker.start();
    ofThisProcess = made;
  }

  private static Optional<ClassArchive> makeOurs() {
    try {
      LabFolder folder = LabFolder.create(Path.of(System.getProperty("java.io.tmpdir")));
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> close(folder), "mesh-lab-class-archive-end"));
      return Optional.of(make(folder.path(), System.getProperty("java.class.path")));
    } catch (IOException | RuntimeException e) {
      System.err.println("lab: programs in guests start slower, without archive of classes: " + e);
      return Optional.empty();
    }
  }

  private static void close(LabFolder folder) {
    try {
      folder.close();
    } catch (IOException e) {
      System.err.println("lab: " + folder.path() + " is left behind: " + e);
    }
  }

  /**
   * The words of a program as it starts fast in a guest: others where it is Java with this JVM's
   * class path and an archive was begun, for whose end this waits.
   */
  static List<String> quickly(List<String> words) {
    CompletableFuture<Optional<ClassArchive>> ours;
    synchronized (ClassArchive.class) {
      ours = ofThisProcess;
    }
    String classPath = System.getProperty("java.class.path");
    if (ours == null || !areOf(words, List.of(classPath, ClassPath.absolute(classPath)))) {
      return words;
    }
    try {
      return ours.get(LIMIT.toSeconds(), TimeUnit.SECONDS)
          .map(archive -> archive.usedBy(words))
          .orElse(words);
    } catch (TimeoutException | ExecutionException e) {
      return words;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return words;
    }
  }

  /**
   * @param folder for it and what it needs; stays as long as it
   * @throws FabricException if the JVM does not make one
   */
  static ClassArchive make(Path folder, String classPath) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      Path path = Path.of(entry).toAbsolutePath().normalize();
      if (Files.isDirectory(path)) {
        jars.add(JarPacker.pack(path, folder.resolve(jars.size() + ".jar")));
      } else if (Files.exists(path)) {
        jars.add(path);
      }
    }
    String packed = jars.stream().map(Path::toString).collect(Collectors.joining(":"));
    Path names = Files.write(folder.resolve("classes"), classNames(jars));
    Path file = folder.resolve("classes.jsa");
    new HostProgram(
            folder,
            LIMIT,
            JAVA.toString(),
            "-Xshare:dump",
            "-XX:SharedClassListFile=" + names,
            "-XX:SharedArchiveFile=" + file,
            "-cp",
            packed)
        .run();
    return new ClassArchive(List.of(classPath, ClassPath.absolute(classPath)), packed, file);
  }

  private static List<String> classNames(List<Path> jars) throws IOException {
    List<String> names = new ArrayList<>();
    // What the JDK's own archive holds, which this one takes the place of.
    Path ofTheJdk = JAVA_HOME.resolve("lib/classlist");
    if (Files.exists(ofTheJdk)) {
      names.addAll(Files.readAllLines(ofTheJdk));
    }
    for (Path jar : jars) {
      try (JarFile open = new JarFile(jar.toFile())) {
        open.stream()
            .map(entry -> entry.getName())
            .filter(name -> name.endsWith(CLASS_FILE) && isWanted(name))
            .map(name -> name.substring(0, name.length() - CLASS_FILE.length()))
            .forEach(names::add);
      }
    }
    return names;
  }

  private static boolean isWanted(String name) {
    return WANTED.stream().anyMatch(name::startsWith);
  }

  /** Whether they are Java's, with one of these class paths. */
  private static boolean areOf(List<String> words, List<String> classPaths) {
    int classPath = words.indexOf("-cp") + 1;
    return classPath > 0
        && words.get(0).equals(JAVA.toString())
        && classPaths.contains(words.get(classPath));
  }

  /** See {@link #quickly}. */
  List<String> usedBy(List<String> words) {
    if (!areOf(words, classPaths)) {
      return words;
    }
    List<String> changed = new ArrayList<>(words);
    changed.set(words.indexOf("-cp") + 1, packedClassPath);
    changed.addAll(
        1, Arrays.asList("-Xshare:auto", "-XX:SharedArchiveFile=" + file, "-Xlog:cds=off"));
    return changed;
  }
}
