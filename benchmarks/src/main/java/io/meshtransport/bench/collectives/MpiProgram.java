// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Our all-reduce by MPI, compiled into a folder of its own; the creator closes it. */
final class MpiProgram implements AutoCloseable {
  private static final String SOURCE = "allreduce.c";
  private static final int COMPILER_SECONDS = 60;

  private final TemporaryFolder folder = TemporaryFolder.create("mesh-mpi");

  private MpiProgram() {}

  /**
   * Compiles it.
   *
   * @throws FabricException if mpicc does not, with what it printed
   */
  static MpiProgram compile() {
    MpiProgram program = new MpiProgram();
    try {
      program.runCompiler();
      return program;
    } catch (IOException e) {
      program.close();
      throw new FabricException("cannot compile " + SOURCE + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      program.close();
      throw e;
    }
  }

  private void runCompiler() throws IOException {
    Path source = folder.path().resolve(SOURCE);
    try (InputStream text = MpiProgram.class.getResourceAsStream(SOURCE)) {
      Files.copy(text, source);
    }
    Path log = folder.path().resolve("mpicc.txt");
    Process compiler =
        new ProcessBuilder("mpicc", "-O2", "-o", file().toString(), source.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!compiler.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS)) {
        compiler.destroyForcibly();
        throw new IOException("mpicc was not done after " + COMPILER_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      compiler.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted in mpicc", e);
    }
    if (compiler.exitValue() != 0) {
      throw new IOException("mpicc: " + Files.readString(log, StandardCharsets.UTF_8).strip());
    }
  }

  /** The program. */
  Path file() {
    return folder.path().resolve("allreduce");
  }

  /** A new executable file beside it. */
  Path script(String name, List<String> lines) {
    try {
      Path script = Files.write(folder.path().resolve(name), lines);
      if (!script.toFile().setExecutable(true)) {
        throw new FabricException(script + " cannot be made executable");
      }
      return script;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + name, e);
    }
  }

  /** Where Open MPI may put its files. */
  Path folder() {
    return folder.path();
  }

  /** The same of a node's daemon: a folder in it, made if it is not there. */
  Path folder(String node) {
    try {
      return Files.createDirectories(folder.path().resolve(node));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a folder for " + node, e);
    }
  }

  @Override
  public void close() {
    folder.close();
  }
}
