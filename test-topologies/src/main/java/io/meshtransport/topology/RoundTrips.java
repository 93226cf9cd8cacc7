// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long small messages take to a peer and back: this node pings, the peer pongs. Each receive is
 * posted before the message that provokes it leaves, so no message waits for a receive.
 */
final class RoundTrips {
  private static final int SIGNIFICANT_DIGITS = 3;

  private final String self;
  private final PeerLink link;
  private final Duration timeout;

  RoundTrips(String self, PeerLink link, long timeoutMs) {
    this.self = self;
    this.link = link;
    this.timeout = Duration.ofMillis(timeoutMs);
  }

  NodeEvent ping(NodeCommand.Ping command) throws TransportException {
    MessageContent content = new MessageContent(command.seed(), self, link.peer());
    ByteBuffer outgoing = link.memory().outgoingBytes();
    Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
    for (int i = -command.warmUps(); i < command.count(); i++) {
      content.fill(outgoing, 0, command.lengthBytes(), i);
      long begin = System.nanoTime();
      long receive = postReceive(command.lengthBytes());
      send(command.lengthBytes());
      int arrived = (int) LocalNode.succeeded(link.in(), receive, timeout);
      long roundTripNs = System.nanoTime() - begin;
      WrongContent.check(
          link.memory().incomingBytes(), 0, content, i, command.lengthBytes(), arrived);
      if (i >= 0) {
        nanos.recordValue(roundTripNs);
      }
    }
    return new NodeEvent.Latency(oneWayMicros(nanos, 50), oneWayMicros(nanos, 99));
  }

  private static double oneWayMicros(Histogram roundTripNanos, double percentile) {
    return roundTripNanos.getValueAtPercentile(percentile) / 2.0 / TimeUnit.MICROSECONDS.toNanos(1);
  }

  NodeEvent pong(NodeCommand.Pong command) throws TransportException {
    int lengthBytes = command.lengthBytes();
    long receive = postReceive(lengthBytes);
    for (int i = 0; i < command.count(); i++) {
      LocalNode.succeeded(link.in(), receive, timeout);
      link.memory().outgoingBytes().put(0, link.memory().incomingBytes(), 0, lengthBytes);
      if (i + 1 < command.count()) {
        receive = postReceive(lengthBytes);
      }
      send(lengthBytes);
    }
    return new NodeEvent.Done();
  }

  private long postReceive(int lengthBytes) throws TransportException {
    return LocalNode.begun(
        link.in(), link.in().irecv(link.memory().incoming(), 0, lengthBytes, PeerLink.TAG));
  }

  private void send(int lengthBytes) throws TransportException {
    link.out().send(link.memory().outgoing(), 0, lengthBytes, PeerLink.TAG, timeout);
  }
}
