// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A program to start in a guest.
 *
 * @param words program and arguments
 * @param environment all of it: nothing is inherited
 * @param folder to start in, as the guest sees it
 * @param joinErrors whether its standard error is its standard output
 */
record StartRequest(
    List<String> words, Map<String, String> environment, String folder, boolean joinErrors) {
  StartRequest {
    words = List.copyOf(words);
    environment = Map.copyOf(environment);
  }

  /** Lists with their number of elements first, texts with their length in bytes first. */
  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(words.size());
      for (String word : words) {
        writeText(out, word);
      }
      out.writeInt(environment.size());
      for (Map.Entry<String, String> variable : environment.entrySet()) {
        writeText(out, variable.getKey());
        writeText(out, variable.getValue());
      }
      writeText(out, folder);
      out.writeBoolean(joinErrors);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  static StartRequest decode(byte[] content) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
      List<String> words = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        words.add(readText(in));
      }
      Map<String, String> environment = new LinkedHashMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        environment.put(readText(in), readText(in));
      }
      return new StartRequest(words, environment, readText(in), in.readBoolean());
    }
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    // Both ends are of the same build; the frame bounds each length.
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }
}
