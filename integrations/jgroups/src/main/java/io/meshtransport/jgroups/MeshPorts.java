// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.HashMap;
import java.util.Map;

/**
 * The handshake ports that a member may use, by bind_port and port_range.
 *
 * @param first bind_port; 0 leaves it to MESH_HANDSHAKE_PORT
 * @param range port_range: how many beyond the first are tried if it is in use
 */
record MeshPorts(int first, int range) {
  private static final String SETTING = "MESH_HANDSHAKE_PORT";

  /**
   * Opens a transport on the first port that is free.
   *
   * @throws TransportException as {@link Transport#open(Map)}; NO_RESOURCES if no port is free
   */
  Transport open(Map<String, String> settings) throws TransportException {
    if (first == 0) {
      return Transport.open(settings);
    }
    TransportException taken = null;
    for (int port = first; port <= Math.min(65_535, first + Math.max(0, range)); port++) {
      Map<String, String> withPort = new HashMap<>(settings);
      withPort.put(SETTING, String.valueOf(port));
      try {
        return Transport.open(withPort);
      } catch (TransportException e) {
        if (e.reason() != TransportException.Reason.NO_RESOURCES) {
          throw e;
        }
        taken = e;
      }
    }
    throw taken;
  }
}
