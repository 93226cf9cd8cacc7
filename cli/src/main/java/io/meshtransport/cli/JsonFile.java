// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * Where {@code --json} writes to. Opened and emptied before a command begins its work, so that no
 * command runs for results that cannot be written. The command that opened it closes it. One
 * thread.
 */
final class JsonFile implements AutoCloseable {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final Path file;
  private final OutputStream bytes;

  private JsonFile(Path file, OutputStream bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /**
   * Creates or empties the file.
   *
   * @param file none, if null: the option was not given
   * @throws IOException in words for the user, if it cannot be written
   * @throws CommandLine.ParameterException for {@code -}, which would mix it with the text
   */
  static JsonFile open(Path file, CommandLine commandLine) throws IOException {
    if (file == null) {
      return new JsonFile(Path.of(""), OutputStream.nullOutputStream());
    }
    if (file.toString().equals("-")) {
      throw new CommandLine.ParameterException(
          commandLine, "--json needs the name of a file: standard output carries the text");
    }
    try {
      return new JsonFile(file, Files.newOutputStream(file));
    } catch (IOException e) {
      throw new IOException(refusal(file, e), e);
    }
  }

  /**
   * Writes the report, or prints to the error stream why it cannot: the verdict is still to be
   * printed.
   *
   * @return whether all of it was written
   */
  boolean write(Object report, PrintWriter err) {
    try {
      bytes.write(JSON.writeValueAsBytes(report));
      bytes.flush();
      return true;
    } catch (IOException e) {
      err.println("mesh: " + refusal(file, e));
      err.flush();
      return false;
    }
  }

  private static String refusal(Path file, IOException failure) {
    boolean noFolder = !Files.isDirectory(file.toAbsolutePath().normalize().getParent());
    return "cannot write "
        + file
        + ": "
        + (noFolder ? "no such directory" : CliFailures.cause(failure));
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }
}
