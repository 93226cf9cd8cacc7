// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Scheduler;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;

/**
 * What the mesh of neighbours reports: where other nodes of JGroups are, without a seed, and which
 * nodes are gone, without a heartbeat. Each node publishes the handle of its session as a service.
 * Owns the mesh. Any thread may call it.
 */
final class MeshNeighbours implements MeshEventListener, AutoCloseable {
  /** What nodes publish. One name for all groups: they learn of each other as behind a seed. */
  static final String SERVICE = "jgroups";

  /** How often nodes are looked at again that could not be connected to, in milliseconds. */
  static final long RECHECK_MS = 5_000;

  /** Where the reports go. Called on threads of the mesh and of the scheduler; must not block. */
  interface Reports {
    /** Whether a node is connected to, or was and may be again. */
    boolean isKnown(String nodeId);

    /** A node that is not known has this handle. */
    void found(byte[] handle);

    /**
     * A node is gone.
     *
     * @param isProof whether its process has ended for certain, and is not only silent
     * @param evidence in words
     */
    void gone(String nodeId, boolean isProof, String evidence);
  }

  private final Mesh mesh;
  private final Reports reports;
  private final Scheduler scheduler;
  private volatile boolean isClosed;

  /**
   * @param mesh this object's to close
   */
  MeshNeighbours(Mesh mesh, Reports reports, Scheduler scheduler) {
    this.mesh = mesh;
    this.reports = reports;
    this.scheduler = scheduler;
  }

  /**
   * Publishes this node, and begins to report others.
   *
   * @throws IllegalArgumentException if the handle does not fit
   */
  void start(byte[] handle) {
    mesh.publish(SERVICE, handle);
    mesh.subscribe(this);
    recheckLater();
  }

  /** This node is reached at other addresses. */
  void handleChanged(byte[] handle) {
    if (!isClosed) {
      mesh.publish(SERVICE, handle);
    }
  }

  /** Whether another living node of JGroups is known to the mesh. */
  boolean hasPeer() {
    return mesh.nodes().stream().anyMatch(MeshNeighbours::isPeer);
  }

  private static boolean isPeer(MeshNode node) {
    return !node.state().isGone() && node.services().contains(SERVICE);
  }

  @Override
  public void servicePublished(MeshNode node, String service) {
    if (service.equals(SERVICE)) {
      report(node);
    }
  }

  private void report(MeshNode node) {
    if (!isClosed && !reports.isKnown(node.peer().id())) {
      mesh.lookup(node, SERVICE).ifPresent(reports::found);
    }
  }

  /** A node that left the mesh may go on, and one that is stuck or unreachable may come back. */
  @Override
  public void verdict(MeshNode node) {
    boolean isProof = node.state() == MeshNodeState.PROCESS_GONE;
    if (!isClosed && (isProof || node.state() == MeshNodeState.NODE_GONE)) {
      reports.gone(node.peer().id(), isProof, node.evidence());
    }
  }

  private void recheckLater() {
    scheduler.after(
        RECHECK_MS,
        () -> {
          if (!isClosed) {
            mesh.nodes().stream().filter(MeshNeighbours::isPeer).forEach(this::report);
            recheckLater();
          }
        });
  }

  /** Leaves the mesh. */
  @Override
  public void close() {
    isClosed = true;
    mesh.close();
  }
}
