package io.meshtransport.jgroups;

import java.util.LinkedHashMap;
import java.util.Map;

/** The attribute {@code settings}: {@code NAME=value;NAME=value}. */
final class MeshSettings {
  private MeshSettings() {}

  /**
   * Reads it. Names are checked by the transport that gets them.
   *
   * @throws IllegalArgumentException naming what is no setting
   */
  static Map<String, String> parse(String text) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String part : text.split(";")) {
      if (!part.isBlank()) {
        int equals = part.indexOf('=');
        String name = equals < 0 ? part.strip() : part.substring(0, equals).strip();
        if (equals < 0 || !name.startsWith("MESH_")) {
          throw new IllegalArgumentException(
              "'" + part.strip() + "' is no setting. Write MESH_NAME=value;MESH_NAME=value.");
        }
        settings.put(name, part.substring(equals + 1).strip());
      }
    }
    return settings;
  }
}
