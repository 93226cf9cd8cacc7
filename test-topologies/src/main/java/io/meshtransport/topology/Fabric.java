// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A topology in operation: its cables are laid, and programs can be started at its nodes. The
 * caller that opened it closes it, which removes everything; so does the end of this process,
 * however it comes. One thread uses it; {@link #close} may come from any.
 */
public interface Fabric extends AutoCloseable {
  /**
   * Lays the cables of a topology in network namespaces.
   *
   * @throws FabricException if this host forbids it; {@link #obstacleToNamespaces} tells so in
   *     advance
   */
  static Fabric namespaces(Topology topology) {
    return new NamespaceFabric(topology, NamespaceAccess.open(), OptionalLong.empty());
  }

  /**
   * As {@link #namespaces}, with a {@link CableRelay} for each cable: it can lose and delay frames.
   * Needs gcc.
   *
   * @param seed decides which frames are lost
   */
  static Fabric relayed(Topology topology, long seed) {
    return new NamespaceFabric(topology, NamespaceAccess.open(), OptionalLong.of(seed));
  }

  /** Why this host allows no network namespaces; empty if it does. Tries, and leaves nothing. */
  static Optional<String> obstacleToNamespaces() {
    return NamespaceAccess.probe();
  }

  /** Lays the cables of a topology on the loopback interface of this host. */
  static Fabric loopback(Topology topology) {
    return new LoopbackFabric(topology);
  }

  /** What was laid, with the addresses that nodes really have here. */
  Topology topology();

  /** Settings (MESH_...) a node needs to find its end of the cables. */
  Map<String, String> settings(String node);

  /**
   * Starts a program at a node.
   *
   * @param node one of the topology's
   * @param process its command and environment; output and error are the caller's to arrange
   * @return the process itself, whose id takes signals
   */
  Process start(String node, ProcessBuilder process) throws IOException;

  /** Whether cables can be cut and their bytes be counted: {@link #cut}, {@link #counters}. */
  boolean hasRealCables();

  /**
   * Pulls a cable: nothing passes, and both ends see no carrier.
   *
   * @throws UnsupportedOperationException without real cables
   */
  void cut(Cable cable);

  /** Plugs it in again. */
  void mend(Cable cable);

  /**
   * The program that a cable leads through.
   *
   * @throws UnsupportedOperationException if this is not a {@link #relayed} fabric
   */
  default CableRelay relay(Cable cable) {
    throw new UnsupportedOperationException("no relay for " + cable + ": see Fabric.relayed");
  }

  /**
   * Takes the address away from one end of a cable; {@link #mend} brings it back.
   *
   * @throws UnsupportedOperationException without real cables
   */
  default void removeAddress(Cable cable, String node) {
    throw new UnsupportedOperationException("the address of " + node + " at " + cable);
  }

  /**
   * What each interface of a node has carried, the loopback interface included.
   *
   * @throws UnsupportedOperationException without real cables
   */
  List<InterfaceCounters> counters(String node);

  /**
   * By how much programs at its nodes are slower than on this host, at most: deadlines are
   * multiplied by it.
   */
  default int slowness() {
    return 1;
  }

  @Override
  void close();
}
