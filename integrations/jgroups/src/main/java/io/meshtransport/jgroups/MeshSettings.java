package io.meshtransport.jgroups;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/** The attribute {@code settings}: {@code NAME=value;NAME=value}. */
final class MeshSettings {
  /** How long a thread that waits for messages spins before it parks. */
  private static final String SPIN = "MESH_SPIN_US";

  private MeshSettings() {}

  /**
   * What a transport is opened with. Where nobody says how long waiting threads spin, they do not:
   * a member has one for each peer, and each message goes on to a thread of JGroups anyway.
   *
   * @param text the attribute
   * @param isSetElsewhere whether the environment or a system property has a setting
   */
  static Map<String, String> of(String text, Predicate<String> isSetElsewhere) {
    Map<String, String> settings = parse(text);
    if (!isSetElsewhere.test(SPIN)) {
      settings.putIfAbsent(SPIN, "0");
    }
    return settings;
  }

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
