// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.TransportException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Executes a node's commands, one after the other. Confined to the node's worker thread; workloads
 * that need both directions at once bring their own threads and end before they return.
 */
final class NodeProgram implements CommandLoop.Program<NodeCommand> {
  private final String name;
  private final Consumer<NodeEvent> events;
  private final Map<String, PeerLink> links = new TreeMap<>();
  private LocalNode local;

  /**
   * @param events takes events from any thread
   */
  NodeProgram(String name, Consumer<NodeEvent> events) {
    this.name = name;
    this.events = events;
  }

  @Override
  public void execute(NodeCommand command) throws InterruptedException {
    try {
      events.accept(outcome(command));
    } catch (TransportException e) {
      events.accept(new NodeEvent.Failed(e.reason().name(), e.getMessage()));
    } catch (RuntimeException | OutOfMemoryError e) {
      // The harness reports it; a node has no other output.
      events.accept(new NodeEvent.Failed(e.getClass().getSimpleName(), String.valueOf(e)));
      e.printStackTrace();
    }
  }

  private NodeEvent outcome(NodeCommand command) throws TransportException, InterruptedException {
    // Java 17 has no switch over types yet.
    if (command instanceof NodeCommand.Open) {
      local = LocalNode.open(name);
      return local.describe();
    }
    if (command instanceof NodeCommand.Describe) {
      return local.describe();
    }
    if (command instanceof NodeCommand.Connect connect) {
      closeLinks();
      links.putAll(local.connect(connect));
      return new NodeEvent.Connected(links.values().stream().map(PeerLink::describe).toList());
    }
    if (command instanceof NodeCommand.Exchange exchange) {
      return new Exchange(name, exchange, events).run(links.values());
    }
    if (command instanceof NodeCommand.Ping ping) {
      return new RoundTrips(name, link(ping.peer()), ping.timeoutMs()).ping(ping);
    }
    if (command instanceof NodeCommand.Pong pong) {
      return new RoundTrips(name, link(pong.peer()), pong.timeoutMs()).pong(pong);
    }
    if (command instanceof NodeCommand.StreamOut stream) {
      return new StreamTransfer(link(stream.peer())).send(stream, name);
    }
    if (command instanceof NodeCommand.StreamIn stream) {
      return new StreamTransfer(link(stream.peer())).receive(stream, name);
    }
    if (command instanceof NodeCommand.PostSends posts) {
      return OutstandingRequests.of(link(posts.peer()), posts, events).run();
    }
    if (command instanceof NodeCommand.PostReceives posts) {
      return OutstandingRequests.of(link(posts.peer()), posts, events).run();
    }
    if (command instanceof NodeCommand.ScanNics look) {
      return new NicScan(look).run();
    }
    if (command instanceof NodeCommand.AdvanceQueuePairNumbers spend) {
      return new QueuePairNumberAdvance(spend).run();
    }
    if (command instanceof NodeCommand.ScanPort scan) {
      return new PortScan(scan).run();
    }
    closeLinks();
    return new NodeEvent.Done();
  }

  private PeerLink link(String peer) {
    PeerLink link = links.get(peer);
    if (link == null) {
      throw new IllegalStateException("no link to " + peer);
    }
    return link;
  }

  private void closeLinks() {
    links.values().forEach(PeerLink::close);
    links.clear();
  }
}
