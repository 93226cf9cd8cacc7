// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.session.NodeHandles;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Session;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Peer;
import java.util.List;
import java.util.Optional;

/**
 * The handles of sessions from the mesh: each node publishes its session's as a service, so that
 * names are all that programs need. Any thread may call it.
 */
public final class MeshNodes implements NodeHandles, AutoCloseable {
  private final Mesh mesh;
  private final String service;
  private Mesh.Subscription subscription;
  private NicListener cables;

  /**
   * @param mesh of the session's transport; open for as long as this is
   * @param service what sessions that talk to each other publish, the same at all nodes: 1 to 32
   *     bytes of UTF-8
   */
  public MeshNodes(Mesh mesh, String service) {
    this.mesh = mesh;
    this.service = service;
  }

  /**
   * Publishes a session, again whenever this node's addresses change, and connects its peers as
   * soon as they are there, or there again: those that the program has named before, without the
   * pause of attempts that failed. From then on a verdict of the mesh that a node is gone ends the
   * connection to it, and fails its calls.
   *
   * @param session opened with this as its source of nodes, under the name of the mesh's node
   * @throws IllegalArgumentException if the session has another name than the mesh's node, or the
   *     service does not fit beside those published already
   * @throws IllegalStateException if it was started before, or the mesh is closed
   */
  public synchronized void start(Session session) {
    if (subscription != null) {
      throw new IllegalStateException("started before");
    }
    String name = mesh.self().peer().name();
    if (!session.name().equals(name)) {
      throw new IllegalArgumentException(
          "the session is named '"
              + session.name()
              + "' and the mesh's node '"
              + name
              + "': peers look the session up by the node's name, so leave out SessionOptions.name");
    }
    cables = now -> mesh.publish(service, session.handle());
    mesh.transport().addNicListener(cables);
    mesh.publish(service, session.handle());
    subscription = mesh.subscribe(new Arrivals(session));
  }

  /**
   * Connects to peers that have just published their session or are within reach again, and ends
   * connections to nodes that are gone.
   */
  private final class Arrivals implements MeshEventListener {
    private final Session session;

    Arrivals(Session session) {
      this.session = session;
    }

    @Override
    public void servicePublished(MeshNode node, String published) {
      if (published.equals(service)) {
        connectNow(node.peer());
      }
    }

    /** While a cable was cut, attempts failed: their pause ends with it. */
    @Override
    public void linkUp(MeshLink link) {
      connectNow(link.one());
      connectNow(link.other());
    }

    private void connectNow(Peer node) {
      session.peers().stream()
          .filter(each -> each.name().equals(node.name()))
          .forEach(PeerSession::connectNow);
    }

    /** A node that left the mesh may go on, and one that is stuck or unreachable may come back. */
    @Override
    public void verdict(MeshNode node) {
      boolean isProof = node.state() == MeshNodeState.PROCESS_GONE;
      if (isProof || node.state() == MeshNodeState.NODE_GONE) {
        session.nodeGone(node.peer().name(), node.peer().id(), isProof, node.evidence());
      } else if (node.state() == MeshNodeState.ALIVE) {
        connectNow(node.peer());
      }
    }
  }

  /** As the mesh has it now: of the only living node of this name. */
  @Override
  public Optional<byte[]> handle(String name) {
    return mesh.lookup(name, service);
  }

  /**
   * Whether the name is doubled, or known without a session, or of a node that is gone, or not
   * known at all. The mesh may have changed since there was no handle: this is of one moment, and
   * true of that.
   */
  @Override
  public String whyUnknown(String name) {
    List<MeshNode> nodes = mesh.nodes();
    List<MeshNode> named = nodes.stream().filter(each -> each.peer().name().equals(name)).toList();
    List<MeshNode> living = named.stream().filter(each -> !each.state().isGone()).toList();
    List<MeshNode> near =
        living.stream().filter(each -> each.state() != MeshNodeState.UNREACHABLE).toList();
    if (near.size() > 1) {
      return "%d nodes have this name: %s. Give each a name of its own with MESH_NODE. If one is the earlier life of another, the mesh says so within 2 s, and the next attempt goes to the later one."
          .formatted(near.size(), ids(near));
    }
    if (named.isEmpty()) {
      return "The mesh knows no node of this name; it knows %s. Check the name (MESH_NODE there), that the node runs and has joined the mesh, the cables, and that MESH_SECRET and MESH_NEIGHBOUR_PORT are the same on all nodes."
          .formatted(
              NodeList.of(nodes.stream().map(each -> each.peer().name() + " " + each.state())));
    }
    if (living.isEmpty()) {
      return NodeStateText.of(MeshNode.latest(named));
    }
    if (near.isEmpty() && living.size() > 1) {
      return "No path leads to any of the %d nodes of this name: %s. Check their cables."
          .formatted(living.size(), ids(living));
    }
    MeshNode only = near.isEmpty() ? living.get(0) : near.get(0);
    if (only.services().contains(service)) {
      return "The mesh says that it is %s, and it has published '%s' since. The next attempt goes there."
          .formatted(only.state(), service);
    }
    return "The mesh says that it is %s, and the services that it has published are: %s. '%s' is none of them: open a session there, and start its MeshNodes with the same service. %s"
        .formatted(
            only.state(),
            NodeList.of(only.services().stream()),
            service,
            NodeStateText.remedy(only.state()))
        .strip();
  }

  /** The state of the node of this name, if none that has it is ALIVE. */
  @Override
  public String whySilent(String name) {
    List<MeshNode> named =
        mesh.nodes().stream().filter(each -> each.peer().name().equals(name)).toList();
    List<MeshNode> living = named.stream().filter(each -> !each.state().isGone()).toList();
    boolean isAlive = living.stream().anyMatch(each -> each.state() == MeshNodeState.ALIVE);
    return named.isEmpty() || isAlive
        ? ""
        : NodeStateText.of(MeshNode.latest(living.isEmpty() ? named : living));
  }

  private static String ids(List<MeshNode> nodes) {
    return NodeList.of(nodes.stream().map(each -> each.peer().id()));
  }

  /** Withdraws the session from the mesh. Connections stay; a second call has no effect. */
  @Override
  public synchronized void close() {
    if (subscription != null) {
      subscription.close();
      subscription = null;
      mesh.transport().removeNicListener(cables);
      mesh.withdraw(service);
    }
  }
}
