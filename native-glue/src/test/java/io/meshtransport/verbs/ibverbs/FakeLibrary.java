// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Library;
import com.sun.jna.Native;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The libibverbs of {@code fake-libibverbs.c}, compiled once for all tests of this JVM. Where there
 * is no gcc, tests that need it are left out. Its state belongs to the whole process: tests of this
 * module run one after the other.
 */
final class FakeLibrary {
  private static final long COMPILER_SECONDS = 60;

  /** How tests steer it. */
  interface Control extends Library {
    void fake_reset();

    /** Makes the next calls of a name fail with an errno. */
    void fake_fail(String call, int errno, int times);

    /** Puts a wrong value into a field of what is made next. */
    void fake_corrupt(String field, long value);

    void fake_devices(int count);

    /** Refuses sends from a position of a chain on; -1 refuses all without saying which. */
    void fake_refuse(int index, int errno);

    /** Calls on queue pairs and completion queues that were destroyed. */
    int fake_used_after_end();

    /** Sends that were refused for the state but kept. */
    int fake_kept_sends();

    /** Things that were made and not destroyed. */
    int fake_living();

    /** Sends taken by the functions of one device's driver. */
    int fake_posts(int device);

    /** Moves a queue pair to ERR. */
    void fake_break(long queuePair);

    void fake_last_modify(long queuePair, byte[] attributes, int[] mask);

    int fake_raise(long context, long element, int type);

    int fake_unacknowledged(long queue);
  }

  private static final class Compiled {
    static final FakeLibrary INSTANCE = compile();
  }

  final Libibverbs library;
  final Control control;
  private final Path file;

  private FakeLibrary(Path file) {
    this.file = file;
    this.library = Libibverbs.load(file.toString());
    this.control = Native.load(file.toString(), Control.class);
  }

  /** As if freshly loaded. */
  static FakeLibrary get() {
    assumeTrue(hasCompiler(), "gcc is not there to compile the fake libibverbs");
    Compiled.INSTANCE.control.fake_reset();
    return Compiled.INSTANCE;
  }

  Path file() {
    return file;
  }

  NativeDevice open(String name) throws VerbsException {
    return DeviceList.open(library, name);
  }

  static boolean hasCompiler() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc")));
  }

  private static FakeLibrary compile() {
    try {
      Path folder = Files.createTempDirectory("fake-libibverbs");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      Path file = folder.resolve("libibverbs-fake.so.9.9");
      compile(
          FakeLibrary.class,
          "fake-libibverbs.c",
          file,
          List.of("-shared", "-fPIC", "-Wl,-Bsymbolic"));
      return new FakeLibrary(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compiles a C file that lies beside a class. */
  static void compile(Class<?> neighbour, String source, Path to, List<String> options)
      throws IOException {
    Path code = to.resolveSibling(source);
    try (InputStream stream = neighbour.getResourceAsStream(source)) {
      Files.copy(stream, code, StandardCopyOption.REPLACE_EXISTING);
    }
    Path output = to.resolveSibling("gcc.txt");
    List<String> command = new ArrayList<>(List.of("gcc", "-pthread"));
    command.addAll(options);
    command.addAll(List.of("-o", to.toString(), code.toString()));
    Process gcc =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean isDone = gcc.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS);
      assertEquals(0, isDone ? gcc.exitValue() : -1, () -> read(output));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while gcc ran", e);
    } finally {
      gcc.destroyForcibly();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
