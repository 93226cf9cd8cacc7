package io.meshtransport.topology;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sends that are left outstanding while something happens to the peer, and how each ends. */
final class OutstandingSends {
  private final PeerLink link;
  private final Consumer<NodeEvent> events;

  OutstandingSends(PeerLink link, Consumer<NodeEvent> events) {
    this.link = link;
    this.events = events;
  }

  NodeEvent run(NodeCommand.PostSends command) throws TransportException {
    long begin = System.nanoTime();
    long deadline = begin + TimeUnit.MILLISECONDS.toNanos(command.timeoutMs());
    long[] requests = new long[command.count()];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = post(command.lengthBytes());
    }
    events.accept(new NodeEvent.Posted(requests.length));
    List<NodeEvent.Outcome> outcomes = new ArrayList<>();
    for (long request : requests) {
      outcomes.add(outcome(request, begin, deadline));
    }
    return new NodeEvent.Outcomes(outcomes);
  }

  private long post(int lengthBytes) throws TransportException {
    return LocalNode.succeeded(
        link.out(), link.out().isend(link.memory().outgoing(), 0, lengthBytes, PeerLink.TAG));
  }

  private NodeEvent.Outcome outcome(long request, long begin, long deadline) {
    SendChannel channel = link.out();
    long leftNs = Math.max(0, deadline - System.nanoTime());
    long outcome = channel.await(request, Duration.ofNanos(leftNs));
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    if (outcome == Channel.PENDING) {
      return new NodeEvent.Outcome(NodeEvent.Outcome.PENDING, "", millis);
    }
    if (outcome == Channel.FAILED) {
      TransportException failure = channel.failure();
      return new NodeEvent.Outcome(failure.reason().name(), failure.getMessage(), millis);
    }
    return new NodeEvent.Outcome(NodeEvent.Outcome.DONE, "", millis);
  }
}
