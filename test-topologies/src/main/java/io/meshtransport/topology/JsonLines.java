// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Format of commands and events on a pipe: one JSON object per line. */
final class JsonLines {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonLines() {}

  /** One line, without its end. */
  static String write(Object message) {
    try {
      return JSON.writeValueAsString(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("our own records are always JSON", e);
    }
  }

  /**
   * @throws FabricException if the line is not such a message
   */
  static <M> M read(String line, Class<M> type) {
    try {
      return JSON.readValue(line, type);
    } catch (JsonProcessingException e) {
      throw new FabricException("not a " + type.getSimpleName() + ": " + line, e);
    }
  }
}
