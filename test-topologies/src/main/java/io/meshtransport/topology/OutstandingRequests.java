// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Requests that are left outstanding while something happens to the peer, and how each ends. */
final class OutstandingRequests {
  private final Channel channel;
  private final LongSupplier begin;
  private final int count;
  private final long timeoutMs;
  private final Consumer<NodeEvent> events;

  private OutstandingRequests(
      Channel channel, LongSupplier begin, int count, long timeoutMs, Consumer<NodeEvent> events) {
    this.channel = channel;
    this.begin = begin;
    this.count = count;
    this.timeoutMs = timeoutMs;
    this.events = events;
  }

  static OutstandingRequests of(
      PeerLink link, NodeCommand.PostSends command, Consumer<NodeEvent> events) {
    return new OutstandingRequests(
        link.out(),
        () -> link.out().isend(link.memory().outgoing(), 0, command.lengthBytes(), PeerLink.TAG),
        command.count(),
        command.timeoutMs(),
        events);
  }

  static OutstandingRequests of(
      PeerLink link, NodeCommand.PostReceives command, Consumer<NodeEvent> events) {
    return new OutstandingRequests(
        link.in(),
        () -> link.in().irecv(link.memory().incoming(), 0, command.lengthBytes(), PeerLink.TAG),
        command.count(),
        command.timeoutMs(),
        events);
  }

  NodeEvent run() throws TransportException {
    long beginNs = System.nanoTime();
    long deadlineNs = beginNs + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    long[] requests = new long[count];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = LocalNode.begun(channel, begin.getAsLong());
    }
    events.accept(new NodeEvent.Posted(requests.length));
    List<NodeEvent.Outcome> outcomes = new ArrayList<>();
    for (long request : requests) {
      outcomes.add(outcome(request, beginNs, deadlineNs));
    }
    return new NodeEvent.Outcomes(outcomes);
  }

  private NodeEvent.Outcome outcome(long request, long beginNs, long deadlineNs) {
    long leftNs = Math.max(0, deadlineNs - System.nanoTime());
    long outcome = channel.await(request, Duration.ofNanos(leftNs));
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
    if (outcome == Channel.PENDING) {
      return new NodeEvent.Outcome(NodeEvent.Outcome.PENDING, "", millis);
    }
    if (outcome == Channel.FAILED) {
      TransportException failure = channel.failure(request);
      return new NodeEvent.Outcome(failure.reason().name(), failure.getMessage(), millis);
    }
    return new NodeEvent.Outcome(NodeEvent.Outcome.DONE, "", millis);
  }
}
