// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.ibverbs.IbverbsProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The libibverbs of {@code null-verbs.c}, compiled for one run: no device is behind it. Its comment
 * describes what its devices do and do not do.
 */
public final class NullLibrary implements AutoCloseable {
  /** Accepts every call and does nothing. */
  static final String NULL_DEVICE = "null0";

  /** Joins queue pairs of one process, and one thread. */
  static final String WIRE_DEVICE = "wire0";

  /** Names the compiled library to JVMs that benchmarks run in. */
  static final String PROPERTY = "mesh.bench.library";

  private static final String SOURCE = "null-verbs.c";
  private static final long COMPILER_SECONDS = 60;

  private final Path folder;

  private NullLibrary(Path folder) {
    this.folder = folder;
  }

  /**
   * Compiles it into a folder of its own, with gcc.
   *
   * @throws IOException also where gcc is missing or fails, with its output
   */
  public static NullLibrary compile() throws IOException {
    NullLibrary library = new NullLibrary(Files.createTempDirectory("mesh-null-verbs"));
    boolean done = false;
    try {
      try (InputStream source = NullLibrary.class.getResourceAsStream(SOURCE)) {
        Files.copy(source, library.folder.resolve(SOURCE));
      }
      library.runCompiler();
      done = true;
      return library;
    } finally {
      if (!done) {
        library.close();
      }
    }
  }

  private void runCompiler() throws IOException {
    Path output = folder.resolve("gcc.txt");
    Process gcc;
    try {
      // -Bsymbolic: it calls its own functions where the real library was loaded before, too
      // (ld(1)).
      gcc =
          new ProcessBuilder(
                  "gcc",
                  "-O2",
                  "-shared",
                  "-fPIC",
                  "-Wl,-Bsymbolic",
                  "-pthread",
                  "-o",
                  file().toString(),
                  SOURCE)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
    } catch (IOException e) {
      throw new IOException(
          "gcc compiles the library that calls go to, and is not there: `apt install gcc libc6-dev`",
          e);
    }
    try {
      boolean ended = gcc.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS);
      if (!ended || gcc.exitValue() != 0) {
        throw new IOException("gcc cannot compile " + SOURCE + ": " + Files.readString(output));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while gcc ran", e);
    } finally {
      gcc.destroyForcibly();
    }
  }

  Path file() {
    return folder.resolve("libibverbs-null.so.1");
  }

  /** Opens a device of the library that {@link #PROPERTY} names in this JVM. */
  static VerbsDevice open(String device) throws VerbsException {
    String file = System.getProperty(PROPERTY);
    if (file == null) {
      throw new IllegalStateException(
          "-D"
              + PROPERTY
              + "=FILE is missing: `./mesh bench downcalls` compiles the library and sets it");
    }
    return IbverbsProvider.through(file).open(device);
  }

  @Override
  public void close() throws IOException {
    for (Path file :
        new Path[] {file(), folder.resolve(SOURCE), folder.resolve("gcc.txt"), folder}) {
      Files.deleteIfExists(file);
    }
  }
}
