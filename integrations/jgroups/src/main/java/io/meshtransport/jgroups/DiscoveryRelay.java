// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.Node;
import io.meshtransport.session.directory.Scheduler;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.protocols.PingHeader;
import org.jgroups.stack.IpAddress;

/**
 * Relays requests of JGroups' own discovery: PING's, which are multicasts where there is no
 * multicast, and TCPPING's to addresses on cables, of which a node may reach only one. Both are
 * meant for every node: a request goes to all nodes that the directory knows, in the group or not,
 * and for {@value #KEPT_MS} ms to each that becomes known. An address on a cable is queried like a
 * seed.
 *
 * <p>Any other multicast is for the members of the group and not relayed. Any thread may call it.
 */
final class DiscoveryRelay {
  /**
   * How long a search lasts: JGroups' usual join_timeout is 2 s, Infinispan's and WildFly's 3 s.
   */
  static final long KEPT_MS = 5_000;

  /**
   * One search: TCPPING's requests to all its hosts bear one and the same header.
   *
   * @param request to anyone
   */
  private record Search(Header header, Message request) {}

  private final Directory directory;
  private final OverlayNetwork network;
  private final Consumer<InetSocketAddress> seeds;
  private final Consumer<Message> send;
  private final Scheduler scheduler;
  private final Map<Short, Search> open = new HashMap<>();

  /**
   * @param seeds queries an address on a cable; never blocks
   * @param send sends a message to one node; may wait for a receive there
   */
  public DiscoveryRelay(
      Directory directory,
      OverlayNetwork network,
      Consumer<InetSocketAddress> seeds,
      Consumer<Message> send,
      Scheduler scheduler) {
    this.directory = directory;
    this.network = network;
    this.seeds = seeds;
    this.send = send;
    this.scheduler = scheduler;
    directory.onConfirmation(this::found);
  }

  /**
   * Relays a message if it is a search.
   *
   * @return whether it was; if not, nothing was done
   */
  public boolean relay(Message message) {
    Address destination = message.getDest();
    InetSocketAddress onCable = onCable(destination);
    boolean toAll = destination == null && message.isFlagSet(Message.TransientFlag.DONT_LOOPBACK);
    Map.Entry<Short, Header> request = toAll || onCable != null ? request(message) : null;
    if (request == null) {
      return false;
    }
    begin(request.getKey(), new Search(request.getValue(), message));
    if (onCable != null) {
      seeds.accept(onCable);
    }
    return true;
  }

  /** The address, if it is on a cable; otherwise null. */
  private InetSocketAddress onCable(Address destination) {
    return destination instanceof IpAddress ip && ip.getIpAddress() != null && !network.contains(ip)
        ? new InetSocketAddress(ip.getIpAddress(), ip.getPort())
        : null;
  }

  /**
   * A discovery protocol's number and its header, if the message is its request; otherwise null.
   */
  private static Map.Entry<Short, Header> request(Message message) {
    for (Map.Entry<Short, Header> entry : message.getHeaders().entrySet()) {
      if (entry.getValue() instanceof PingHeader ping && ping.type() == PingHeader.GET_MBRS_REQ) {
        return entry;
      }
    }
    return null;
  }

  /** A later search of the same protocol replaces the former. */
  private void begin(Short protocol, Search search) {
    synchronized (open) {
      Search former = open.put(protocol, search);
      if (former != null && former.header() == search.header()) {
        return;
      }
    }
    scheduler.after(KEPT_MS, () -> end(protocol, search.header()));
    // After it is noted: a node that becomes known in between gets the request, perhaps twice.
    directory.confirmed().forEach(node -> ask(search, node));
  }

  private void end(Short protocol, Header header) {
    synchronized (open) {
      open.computeIfPresent(protocol, (same, search) -> search.header() == header ? null : search);
    }
  }

  private void found(Node node) {
    if (node.equals(directory.self())) {
      return;
    }
    List<Search> searches;
    synchronized (open) {
      searches = List.copyOf(open.values());
    }
    for (Search search : searches) {
      // Not on the thread of the link that brought the news.
      scheduler.after(0, () -> ask(search, node));
    }
  }

  private void ask(Search search, Node node) {
    send.accept(
        search
            .request()
            .copy(true, true)
            .setDest(OverlayNetwork.address(node))
            .setFlag(Message.TransientFlag.DONT_LOOPBACK));
  }
}
