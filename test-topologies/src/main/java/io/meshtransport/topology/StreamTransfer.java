// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * As many bytes as possible in one direction: some messages are always in flight, each with a place
 * of its own in the memory. The message of a place never changes, so filling and checking cost no
 * time while the clock runs: the checked numbers are those of {@link Exchange}.
 */
final class StreamTransfer {
  private static final double NANOS_PER_MICRO = TimeUnit.MICROSECONDS.toNanos(1);

  private final PeerLink link;

  StreamTransfer(PeerLink link) {
    this.link = link;
  }

  NodeEvent send(NodeCommand.StreamOut command, String self) throws TransportException {
    MessageContent content = new MessageContent(command.seed(), self, link.peer());
    ByteBuffer outgoing = link.memory().outgoingBytes();
    int lengthBytes = command.lengthBytes();
    for (int place = 0; place < command.depth(); place++) {
      content.fill(outgoing, place * lengthBytes, lengthBytes, place);
    }
    Duration timeout = Duration.ofMillis(command.timeoutMs());
    long[] requests = new long[command.depth()];
    long begin = System.nanoTime();
    for (int i = 0; i < command.count() + command.depth(); i++) {
      int place = i % command.depth();
      if (i >= command.depth()) {
        LocalNode.succeeded(link.out(), requests[place], timeout);
      }
      if (i < command.count()) {
        requests[place] = postSend((long) place * lengthBytes, lengthBytes);
      }
    }
    double bytes = (double) command.count() * lengthBytes;
    // Bytes per microsecond are millions of bytes per second.
    return new NodeEvent.Throughput(bytes / ((System.nanoTime() - begin) / NANOS_PER_MICRO));
  }

  NodeEvent receive(NodeCommand.StreamIn command, String self) throws TransportException {
    int lengthBytes = command.lengthBytes();
    Duration timeout = Duration.ofMillis(command.timeoutMs());
    long[] requests = new long[command.depth()];
    for (int i = 0; i < command.count() + command.depth(); i++) {
      int place = i % command.depth();
      if (i >= command.depth()) {
        LocalNode.succeeded(link.in(), requests[place], timeout);
      }
      if (i < command.count()) {
        requests[place] = postReceive((long) place * lengthBytes, lengthBytes);
      }
    }
    MessageContent content = new MessageContent(command.seed(), link.peer(), self);
    for (int place = 0; place < command.depth(); place++) {
      WrongContent.check(
          link.memory().incomingBytes(),
          place * lengthBytes,
          content,
          place,
          lengthBytes,
          lengthBytes);
    }
    return new NodeEvent.Done();
  }

  private long postSend(long offsetBytes, int lengthBytes) throws TransportException {
    return LocalNode.begun(
        link.out(),
        link.out().isend(link.memory().outgoing(), offsetBytes, lengthBytes, PeerLink.TAG));
  }

  private long postReceive(long offsetBytes, int lengthBytes) throws TransportException {
    return LocalNode.begun(
        link.in(),
        link.in().irecv(link.memory().incoming(), offsetBytes, lengthBytes, PeerLink.TAG));
  }
}
