// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.util.Map;

/** Which ends there are. */
enum BenchEnds {
  /** Ours. */
  MESH("Mesh Transport"),
  /** See {@link RelayedEnd}. */
  RELAYED("Mesh Transport over relays"),
  /** See {@link MeshConnectionsEnd}. */
  MESH_CONNECTIONS("Mesh Transport"),
  /** See {@link SessionEnd}. */
  SESSION("Mesh session"),
  /** See {@link SocketEnd}. */
  SOCKET("blocking SocketChannel"),
  /** The same; a workload that spins never blocks. */
  SPINNING_SOCKET("spinning SocketChannel"),
  /** See {@link CopiedSocketEnd}. */
  COPIED_SOCKET("SocketChannel, copied by a process between"),
  /** See {@link AcknowledgedSocketEnd}. */
  ACKNOWLEDGED_SOCKET("acknowledging socket"),
  /** See {@link NettyEnd}. */
  NETTY("Netty native epoll"),
  /** See {@link VerbsEnd}. */
  VERBS("verbs alone");

  private final String label;

  BenchEnds(String label) {
    this.label = label;
  }

  /** For tables. */
  String label() {
    return label;
  }

  /**
   * Makes one; the caller closes it.
   *
   * @param host an address of this node's cable
   */
  BenchEnd open(String host) throws IOException, TransportException, InterruptedException {
    return switch (this) {
      case MESH -> MeshEnd.open(Map.of());
      case RELAYED -> RelayedEnd.open(Map.of());
      case MESH_CONNECTIONS -> MeshConnectionsEnd.open(Map.of());
      case SESSION ->
          SessionEnd.open(Map.of("MESH_NODE", "bench-" + ProcessHandle.current().pid()));
      case SOCKET, SPINNING_SOCKET -> SocketEnd.open(host);
      case COPIED_SOCKET -> CopiedSocketEnd.open(host);
      case ACKNOWLEDGED_SOCKET -> AcknowledgedSocketEnd.open(host);
      case NETTY -> NettyEnd.open(host);
      case VERBS -> VerbsEnd.open(host);
    };
  }
}
