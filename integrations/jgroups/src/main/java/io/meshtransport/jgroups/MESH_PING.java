// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.annotations.MBean;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.util.ByteArray;
import org.jgroups.util.NameCache;
import org.jgroups.util.Responses;

/**
 * Finds the members of a group among the nodes of the mesh: sends a request to every node that
 * {@link MESH} knows, and to each further one as soon as it becomes known, while the search is not
 * over. It has no list of its own: the seeds of MESH are enough.
 *
 * <p>Works on MESH only. Other discovery protocols work on MESH too; then this one is not needed.
 */
@MBean(description = "Discovery among the nodes of a mesh")
public class MESH_PING extends Discovery {
  static {
    ProtocolIds.register(ProtocolIds.MESH_PING, MESH_PING.class);
  }

  /** Searches that are kept for nodes to come. */
  private static final int MAX_SEARCHES = 32;

  /** The purpose of a search; a later search for the same purpose replaces the former. */
  private record Purpose(List<Address> members, boolean initial) {}

  private record Search(Responses responses, ByteArray who, PingHeader header) {}

  private final Map<Purpose, Search> searches = new LinkedHashMap<>();
  private volatile Directory directory;

  /** For JGroups, which makes it by name. */
  public MESH_PING() {}

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the transport is not MESH
   */
  @Override
  public void init() throws Exception {
    super.init();
    if (!(transport instanceof NodeDirectory)) {
      throw new IllegalStateException(
          "MESH_PING queries the nodes that the transport MESH knows, and the transport of this stack"
              + " is "
              + transport.getClass().getName()
              + ". Use MESH as the transport, or another discovery protocol.");
    }
    // MESH may wait for a peer's receive, so the timer's own thread must not send.
    sends_can_block = true;
  }

  @Override
  public void start() throws Exception {
    super.start();
    directory = ((NodeDirectory) transport).directory();
    directory.onConfirmation(this::found);
  }

  @Override
  public void stop() {
    directory = null;
    synchronized (searches) {
      searches.clear();
    }
    super.stop();
  }

  /**
   * {@inheritDoc}
   *
   * @return false: a newcomer may join before it knows every node, so the coordinator sends it the
   *     others' addresses
   */
  @Override
  public boolean isDynamic() {
    return false;
  }

  @Override
  protected void findMembers(List<Address> members, boolean initial, Responses responses) {
    if (initial) {
      // The joiner's time-out starts here: not before there is a node to query.
      if (!((NodeDirectory) transport).awaitInitialDiscovery() && directory != null) {
        // The first member: no answer can come. A later member finds this one.
        responses.done();
        return;
      }
    }
    // Read only now: the stack may have stopped while a search on the timer waited.
    Directory known = directory;
    if (known == null) {
      return;
    }
    Search search = new Search(responses, self(members), header(initial));
    synchronized (searches) {
      searches.values().removeIf(former -> former.responses().isDone());
      if (searches.size() < MAX_SEARCHES) {
        searches.put(new Purpose(members == null ? null : List.copyOf(members), initial), search);
      }
    }
    // After the search is noted: a node that becomes known in between gets the request, perhaps
    // twice.
    known.confirmed().forEach(node -> request(search, node));
  }

  private void found(Node node) {
    Directory known = directory;
    if (known == null || known.self().equals(node)) {
      return;
    }
    List<Search> open;
    synchronized (searches) {
      searches.values().removeIf(search -> search.responses().isDone());
      open = List.copyOf(searches.values());
    }
    open.forEach(search -> timer.execute(() -> request(search, node), sends_can_block));
  }

  private void request(Search search, Node node) {
    Message request =
        new BytesMessage(OverlayNetwork.address(node))
            // Not bundled, because the bundler's thread may be the one that waits for the answer.
            .setFlag(Message.Flag.DONT_BUNDLE, Message.Flag.OOB)
            .setFlag(Message.TransientFlag.DONT_LOOPBACK)
            .putHeader(id, search.header());
    request.setArray(search.who());
    log.trace("%s: requesting the members from %s", local_addr, node);
    down_prot.down(request);
  }

  private ByteArray self(List<Address> members) {
    PhysicalAddress own = (PhysicalAddress) down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr));
    PingData data = new PingData(local_addr, false, NameCache.get(local_addr), own);
    if (members != null && members.size() <= max_members_in_discovery_request) {
      data.mbrs(members);
    }
    return marshal(data);
  }

  private PingHeader header(boolean initial) {
    return new PingHeader(PingHeader.GET_MBRS_REQ)
        .clusterName(cluster_name)
        .initialDiscovery(initial);
  }
}
