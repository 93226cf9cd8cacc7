// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.net.InetAddress;
import java.util.Optional;

/**
 * What a mesh knows of other nodes and of the cables between this node and them, for the transport
 * that it was joined with: addresses alone do not say which interfaces a cable joins where they are
 * link-local, and handles have no name. Any thread may call it; it never blocks.
 *
 * <p>Made for {@link Mesh} and {@link Transport}; a framework has no use for it.
 */
@FunctionalInterface
public interface MeshKnowledge {
  /** Nothing is known. */
  MeshKnowledge NONE = (nodeId, interfaceIndex, peerAddress) -> Optional.empty();

  /**
   * Why an address of a node is not on the link of an interface of this host, if that is certain
   * now. It is about this moment: a cable may be plugged in the next.
   *
   * @param nodeId as {@link Peer#id()}
   * @param interfaceIndex of this host's end, the kernel's
   * @param peerAddress a link-local address of the node; a scope in it is ignored
   * @return a clause that says where the cable leads instead; empty if a cable may lead there, or
   *     nothing is known
   * @throws IllegalArgumentException if that is no id of a node
   */
  Optional<String> offLink(String nodeId, int interfaceIndex, InetAddress peerAddress);

  /**
   * A node as people know it, for texts.
   *
   * @param nodeId as {@link Peer#id()}
   * @return with the name that the node gave, if it is known now
   */
  default Peer peer(String nodeId) {
    return new Peer("", nodeId);
  }

  /**
   * The mesh as it is known now: nodes, cables and what is wrong with them, for people and tools.
   *
   * @return JSON of the format {@code mesh-map/1}; empty if no mesh was joined
   */
  default String map() {
    return "";
  }

  /** The neighbour port of the mesh, MESH_NEIGHBOUR_PORT; 0 if no mesh was joined. */
  default int port() {
    return 0;
  }
}
