package io.meshtransport.jgroups;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.protocols.PingHeader;
import org.jgroups.stack.IpAddress;

/**
 * Discovery by multicast, as PING does it, where there is no multicast. A search goes to every node
 * of the directory, whether it is in the group or not, and for {@value #KEPT_MS} ms to each node
 * that becomes known. Any other multicast goes to the members of the group alone.
 *
 * <p>Any thread may call it.
 */
final class MulticastSearch {
  /**
   * How long a search takes: JGroups' usual join_timeout is 2 s, Infinispan's and WildFly's 3 s.
   */
  static final long KEPT_MS = 5_000;

  private final Directory directory;
  private final Consumer<Message> send;
  private final Later later;
  private final Map<Short, Message> open = new HashMap<>();

  /**
   * @param send takes a message for one node; may wait for room there
   */
  MulticastSearch(Directory directory, Consumer<Message> send, Later later) {
    this.directory = directory;
    this.send = send;
    this.later = later;
    directory.onChange(this::found);
  }

  /** Whether it is a search: to all but oneself, with the header of a discovery request. */
  static boolean isOne(Message message) {
    return message.getDest() == null
        && message.isFlagSet(Message.TransientFlag.DONT_LOOPBACK)
        && protocol(message) != null;
  }

  /** The number of the discovery protocol whose request it is; null if it is none. */
  private static Short protocol(Message message) {
    for (Map.Entry<Short, Header> entry : message.getHeaders().entrySet()) {
      if (entry.getValue() instanceof PingHeader ping && ping.type() == PingHeader.GET_MBRS_REQ) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Sends a search to all nodes. A later one of the same protocol takes its place. */
  void begin(Message search) {
    Short protocol = protocol(search);
    synchronized (open) {
      open.put(protocol, search);
    }
    later.after(KEPT_MS, () -> end(protocol, search));
    // After it is noted: a node that becomes known in between is asked, perhaps twice.
    directory.all().forEach(node -> ask(search, node.overlay()));
  }

  private void end(Short protocol, Message search) {
    synchronized (open) {
      open.remove(protocol, search);
    }
  }

  private void found(Node node) {
    if (node.equals(directory.self())) {
      return;
    }
    List<Message> searches;
    synchronized (open) {
      searches = List.copyOf(open.values());
    }
    for (Message search : searches) {
      // Not on the thread of the link that brought the news.
      later.after(0, () -> ask(search, node.overlay()));
    }
  }

  private void ask(Message search, IpAddress node) {
    send.accept(search.copy(true, true).setDest(node).setFlag(Message.TransientFlag.DONT_LOOPBACK));
  }
}
