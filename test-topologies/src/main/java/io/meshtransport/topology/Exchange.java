// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Messages in both directions with every peer at the same time, with every byte checked. Two
 * threads per peer, one for each direction, since one thread uses a channel.
 */
final class Exchange {
  private final String self;
  private final NodeCommand.Exchange command;
  private final Duration timeout;
  private final Consumer<NodeEvent> events;
  private final AtomicLong messages = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  Exchange(String self, NodeCommand.Exchange command, Consumer<NodeEvent> events) {
    this.self = self;
    this.command = command;
    this.timeout = Duration.ofMillis(command.timeoutMs());
    this.events = events;
  }

  NodeEvent run(Collection<PeerLink> links) throws TransportException, InterruptedException {
    try (Threads threads = new Threads()) {
      for (PeerLink link : links) {
        threads.start(() -> sendAll(link));
        threads.start(() -> receiveAll(link));
      }
      threads.join();
    }
    return new NodeEvent.Exchanged(messages.get(), bytes.get());
  }

  private void sendAll(PeerLink link) throws TransportException {
    MessageContent content = new MessageContent(command.seed(), self, link.peer());
    long sequence = 0;
    for (NodeCommand.Batch batch : command.batches()) {
      for (int i = 0; i < batch.count(); i++, sequence++) {
        content.fill(link.memory().outgoingBytes(), 0, batch.lengthBytes(), sequence);
        link.out().send(link.memory().outgoing(), 0, batch.lengthBytes(), PeerLink.TAG, timeout);
      }
    }
  }

  private void receiveAll(PeerLink link) throws TransportException {
    MessageContent content = new MessageContent(command.seed(), link.peer(), self);
    long sequence = 0;
    for (NodeCommand.Batch batch : command.batches()) {
      for (int i = 0; i < batch.count(); i++, sequence++) {
        receiveOne(link, content, batch.lengthBytes(), sequence);
      }
      long batchBytes = (long) batch.count() * batch.lengthBytes();
      messages.addAndGet(batch.count());
      bytes.addAndGet(batchBytes);
      events.accept(new NodeEvent.Progress(link.peer(), batch.count(), batchBytes));
    }
  }

  private void receiveOne(PeerLink link, MessageContent content, int lengthBytes, long sequence)
      throws TransportException {
    // Receives with the whole capacity: the length reported must be the message's, not the
    // receive's.
    long room = link.memory().incoming().lengthBytes();
    long arrived = link.in().receive(link.memory().incoming(), 0, room, PeerLink.TAG, timeout);
    WrongContent.check(
        link.memory().incomingBytes(), 0, content, sequence, lengthBytes, (int) arrived);
  }
}
