// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a mesh says of some lives of nodes. It keeps those that have ended when the mesh removes
 * them: one that is removed for its silence alone may live. Any thread.
 */
final class EndedLives implements MeshEventListener, AutoCloseable {
  private final Mesh mesh;
  private final Set<String> ids;

  /** By id, as the mesh has told it last. */
  private final Map<String, MeshNode> ended = new ConcurrentHashMap<>();

  private final Mesh.Subscription subscription;

  /**
   * @param ids of the nodes that it keeps
   */
  EndedLives(Mesh mesh, Set<String> ids) {
    this.mesh = mesh;
    this.ids = Set.copyOf(ids);
    subscription = mesh.subscribe(this);
  }

  /** The nodes that the mesh knows, and those of the ids that have ended, by id. */
  Map<String, MeshNode> nodes() {
    Map<String, MeshNode> all = new HashMap<>(ended);
    mesh.nodes().forEach(each -> all.put(each.peer().id(), each));
    return all;
  }

  /** Whether the process is proved to have ended, or to have left. */
  static boolean hasEnded(MeshNode life) {
    return life.state() == MeshNodeState.PROCESS_GONE || life.state() == MeshNodeState.LEFT;
  }

  @Override
  public void nodeAppeared(MeshNode node) {
    note(node);
  }

  @Override
  public void verdict(MeshNode node) {
    note(node);
  }

  @Override
  public void nodeRemoved(MeshNode node) {
    note(node);
  }

  private void note(MeshNode node) {
    String id = node.peer().id();
    if (!hasEnded(node)) {
      ended.remove(id);
    } else if (ids.contains(id)) {
      ended.put(id, node);
    }
  }

  @Override
  public void close() {
    subscription.close();
  }
}
