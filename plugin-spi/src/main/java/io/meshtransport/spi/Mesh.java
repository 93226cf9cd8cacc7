// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * The nodes that are cabled to this one, directly or over others: who they are, which services they
 * publish, and whether they live. Created by {@link #join} and closed by its creator. Any thread
 * may call any method.
 */
public interface Mesh extends AutoCloseable {
  /** As {@link #join(Transport, Map)}, with the settings of the transport. */
  static Mesh join(Transport transport) throws TransportException {
    return join(transport, Map.of());
  }

  /**
   * Joins the mesh: this node says hello on every cable, under the name and id of the transport.
   *
   * @param transport connects to other nodes; the caller's to close, after the mesh
   * @param settings values by their names in the environment (MESH_NEIGHBOUR_PORT, MESH_SECRET
   *     ...); they override those that the transport was opened with, which override system
   *     properties and the environment
   * @return the caller's to close
   * @throws TransportException CONFIGURATION for a bad setting; UNAVAILABLE if there is no
   *     implementation; NO_RESOURCES if the neighbours' port cannot be used; CLOSED if the
   *     transport is closed
   */
  static Mesh join(Transport transport, Map<String, String> settings) throws TransportException {
    MeshProvider provider =
        installed()
            .orElseThrow(
                () ->
                    new TransportException(
                        TransportException.Reason.UNAVAILABLE,
                        "No MeshProvider on the class path. Add the artifact"
                            + " io.meshtransport:mesh-neighbours."));
    return transport.joinMesh(provider, settings);
  }

  private static Optional<MeshProvider> installed() {
    return ServiceLoader.load(MeshProvider.class, Mesh.class.getClassLoader())
        .findFirst()
        .or(() -> ServiceLoader.load(MeshProvider.class).findFirst());
  }

  /** What this mesh was joined with; its opener's to close. */
  Transport transport();

  /** This node, with the services that it has published. */
  MeshNode self();

  /**
   * The other nodes that are known, by name. One that has left is removed once its last record is
   * here; one whose life is over otherwise stays in the list, with its state and evidence, for up
   * to 100 s. Two nodes of one name are two entries, and so are two lives of a node that has
   * started again meanwhile: those that live are the ones whose state is not {@link
   * MeshNodeState#isGone}.
   */
  List<MeshNode> nodes();

  /** All cables that both ends report, each once. */
  List<MeshLink> links();

  /**
   * What is wrong now with this node's cables, or with the names in the mesh: what {@link
   * MeshEventListener#found} has reported and {@link MeshEventListener#cleared} has not. For texts
   * that say why a node is not there.
   */
  List<MeshFinding> findings();

  /**
   * Reports every change to a listener, at first the nodes, services, cables and findings that are
   * there already.
   *
   * @return ends the subscription; an event that is being reported meanwhile may still arrive
   */
  Subscription subscribe(MeshEventListener listener);

  /**
   * Makes a service known to all nodes, or changes its handle.
   *
   * @param service 1 to 32 bytes of UTF-8
   * @param handle of a {@link Listener} of this node, for {@link #connect}; or any 0 to 512 bytes
   *     that mean something to those who {@link #lookup} the service. Copied and not looked into:
   *     to connect to what is no handle fails with BAD_HANDLE
   * @throws IllegalArgumentException if it does not fit: 8 services of 1250 bytes in all
   * @throws IllegalStateException if the mesh is closed, so that no node would know of it
   */
  void publish(String service, byte[] handle);

  /** Withdraws a service. Has no effect for one that is not published, as on a closed mesh. */
  void withdraw(String service);

  /**
   * The handle of a service, as it is known now. Never blocks.
   *
   * @param node the name of a node, this one included
   * @return a copy; empty if no living node of this name has published it, or several have the
   *     name. A node out of reach does not count beside one within reach: it may be the earlier
   *     life of that one
   */
  Optional<byte[]> lookup(String node, String service);

  /**
   * The handle of a service of a node, whatever other nodes have its name. Never blocks.
   *
   * @param node as it was reported, or {@link #self}; its services of now count
   * @return a copy; empty if the node is not known any more, or does not publish it
   */
  Optional<byte[]> lookup(MeshNode node, String service);

  /**
   * Waits until a living node of this name has published the service and a path leads to it, then
   * connects. Where the node restarts meanwhile, or publishes another handle, that is connected to
   * instead. No path leads there while no relay has found one, a port on the way has no carrier, or
   * the only nodes between are gone. This node itself does not count.
   *
   * @param timeout for all together; with 0 or less it fails unless there is a connection at once
   * @return the caller's to close
   * @throws TransportException PEER_UNREACHABLE if there is no such node or service in time; the
   *     text lists those that are known. CONFIGURATION if several living nodes within reach have
   *     the name, whose text says where each is, and no verdict within 2.5 s says that one is the
   *     earlier life of another; in less time than that it is PEER_UNREACHABLE. NO_ROUTE if no path
   *     has led there in time, and at once where waiting cannot help. CLOSED if the mesh is closed,
   *     INTERRUPTED if the thread was interrupted (its interrupt status stays set), otherwise as
   *     {@link Transport#connect(byte[], ConnectOptions, Duration)}
   */
  Connection connect(String node, String service, ConnectOptions options, Duration timeout)
      throws TransportException;

  /**
   * Waits until so many nodes live, this one included.
   *
   * @param timeout max wait; 0 or less looks once
   * @return whether they do; false if the time passed
   * @throws TransportException INTERRUPTED if the thread was interrupted, CLOSED if the mesh is
   *     closed
   */
  boolean awaitNodes(int count, Duration timeout) throws TransportException;

  /** Leaves the mesh; the transport and its connections stay. A second call has no effect. */
  @Override
  void close();

  /** Ends what {@link #subscribe} began. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
