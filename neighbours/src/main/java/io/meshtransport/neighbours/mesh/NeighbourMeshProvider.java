// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshProvider;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.util.Map;

/** Joins the mesh with an agent of its own. */
public final class NeighbourMeshProvider implements MeshProvider {
  @Override
  public Mesh join(Transport transport, Map<String, String> settings) throws TransportException {
    Peer self = transport.self();
    try {
      MeshConfig config = MeshConfig.load(settings);
      NodeIdentity identity =
          new NodeIdentity(NodeId.parse(self.id()), self.name(), "", System.currentTimeMillis());
      return NeighbourMesh.start(transport, identity, config);
    } catch (IllegalArgumentException e) {
      throw new TransportException(TransportException.Reason.CONFIGURATION, e.getMessage(), e);
    } catch (IOException e) {
      // What has a cause has words for it, which are this failure's own.
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new TransportException(TransportException.Reason.NO_RESOURCES, e.getMessage(), cause);
    }
  }
}
