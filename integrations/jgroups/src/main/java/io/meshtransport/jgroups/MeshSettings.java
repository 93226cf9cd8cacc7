// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.Transport;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The attribute {@code settings}: {@code NAME=value;NAME=value}. */
final class MeshSettings {
  /** How long a thread that waits for messages spins before it parks. */
  private static final String SPIN = "MESH_SPIN_US";

  private static final String PORT = "MESH_HANDSHAKE_PORT";
  private static final String NODE = "MESH_NODE";

  /** Of MESH_NODE. */
  private static final int MAX_NODE_BYTES = 32;

  private static final String LOOPBACK = "MESH_LOOPBACK";

  private MeshSettings() {}

  /**
   * The port of other nodes that are given without one: all nodes are configured alike. Not the
   * port that this node has, which may be another if that was in use.
   *
   * @param bindPort the attribute; 0 if none is given
   * @param text the attribute {@code settings}
   * @param elsewhere a setting in the environment or a system property; null if it is in neither
   */
  static int peersPort(int bindPort, String text, UnaryOperator<String> elsewhere) {
    if (bindPort > 0) {
      return bindPort;
    }
    String given = parse(text).getOrDefault(PORT, elsewhere.apply(PORT));
    boolean isPort = given != null && given.strip().matches("0*[1-9][0-9]{0,4}");
    return isPort ? Integer.parseInt(given.strip()) : Transport.DEFAULT_HANDSHAKE_PORT;
  }

  /**
   * The settings to open a transport with. Unless MESH_SPIN_US is set, waiting threads do not spin:
   * a member has one for each peer, and each message goes on to a thread of JGroups anyway.
   *
   * @param text the attribute
   * @param nodeName node_name, by which the mesh knows this node unless MESH_NODE is set
   * @param elsewhere as above
   */
  static Map<String, String> of(String text, String nodeName, UnaryOperator<String> elsewhere) {
    Map<String, String> settings = parse(text);
    if (elsewhere.apply(SPIN) == null) {
      settings.putIfAbsent(SPIN, "0");
    }
    String name = nodeName.strip();
    int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
    // The mesh knows nodes by ids, so a name that does not fit is no loss.
    if (nameBytes > 0 && nameBytes <= MAX_NODE_BYTES && elsewhere.apply(NODE) == null) {
      settings.putIfAbsent(NODE, name);
    }
    return settings;
  }

  /** Whether the cables are addresses of the loopback interface, on which nobody says hello. */
  static boolean isOnLoopback(Map<String, String> settings, UnaryOperator<String> elsewhere) {
    String given = settings.getOrDefault(LOOPBACK, elsewhere.apply(LOOPBACK));
    return given != null && !given.isBlank();
  }

  /**
   * Parses the attribute. The transport checks the names.
   *
   * @throws IllegalArgumentException naming the part that is no setting
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
