// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.FabricException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Tells QEMU what to do with a guest's hardware: the QEMU Machine Protocol, one JSON object per
 * line. One thread at a time; the streams stay the caller's.
 */
final class Qmp {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final BufferedReader in;
  private final OutputStream out;

  /**
   * Reads the greeting and begins.
   *
   * @throws FabricException if QEMU sends something else
   */
  Qmp(InputStream in, OutputStream out) {
    this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    this.out = out;
    if (!read().has("QMP")) {
      throw new FabricException("QEMU does not greet");
    }
    execute("qmp_capabilities", Map.of());
  }

  /**
   * @param arguments as QEMU's manual has them
   * @throws FabricException if QEMU refuses, or is gone
   */
  synchronized void execute(String command, Map<String, ?> arguments) {
    try {
      byte[] line = JSON.writeValueAsBytes(Map.of("execute", command, "arguments", arguments));
      out.write(line);
      out.write('\n');
      out.flush();
    } catch (IOException e) {
      throw new FabricException("QEMU does not take " + command + ": " + e.getMessage(), e);
    }
    JsonNode answer = read();
    while (answer.has("event")) {
      answer = read();
    }
    if (!answer.has("return")) {
      throw new FabricException("QEMU refuses " + command + ": " + answer);
    }
  }

  private JsonNode read() {
    try {
      String line = in.readLine();
      if (line == null) {
        throw new FabricException("QEMU is gone");
      }
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new FabricException("QEMU does not answer: " + e.getMessage(), e);
    }
  }
}
