// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Calls over two one-way channels: callers send under a lock, and one thread receives replies and
 * hands them over. The responder is that of {@link MeshPingPong}. The sender is FIRE_AND_FORGET,
 * since callers go to sleep when they have sent; receives are posted ahead in groups, more than
 * calls can be in flight.
 */
final class MeshCalls {
  /** Groups of receives that each end has posted. */
  static final int GROUPS = 4;

  private final Workload workload;
  private final int groupSize;
  private final Callers callers;
  private final MeshSends sends;
  private final MeshReceives receives;
  private final ByteBuffer incoming;
  private final SequencedPayload slots;
  private final Object sendLock = new Object();
  private long received;

  /**
   * @param outgoing for {@link Callers#slots} messages
   * @param incoming for {@link MeshPingPong#SLOTS} messages
   */
  MeshCalls(
      Workload workload,
      int groupSize,
      SendChannel out,
      RegisteredMemory outgoing,
      ReceiveChannel in,
      RegisteredMemory incoming) {
    this.workload = workload;
    this.groupSize = groupSize;
    int bytes = workload.messageBytes();
    out.sendMode(SendMode.FIRE_AND_FORGET);
    callers = new Callers(workload.window(), bytes, outgoing.segments().get(0));
    sends = new MeshSends(out, outgoing, Callers.slots(workload.window()), workload.waiting());
    this.incoming = incoming.segments().get(0);
    slots = new SequencedPayload(this.incoming, MeshPingPong.SLOTS, bytes, MeshPingPong.SLOTS);
    receives = new MeshReceives(in, incoming, slots, bytes, groupSize, GROUPS);
  }

  Measurement initiate(RunClock clock) throws TransportException, InterruptedException {
    receives.postAll();
    CompletableFuture<Void> receiver = Callers.start("mesh-bench-replies", this::receive);
    Measurement measured = callers.run(clock, this::send);
    long left = MeshReceives.closingMessages(measured.total(), groupSize, GROUPS);
    for (long end = measured.total(); end < measured.total() + left; end++) {
      sends.awaitSlot(end);
      sends.bytes().putLong(callers.offset(end), SequencedPayload.END);
      sends.postAndFlush(end, callers.offset(end), SequencedPayload.BYTES);
    }
    Callers.join(receiver);
    sends.drain();
    return measured;
  }

  private void send(long id) throws TransportException {
    synchronized (sendLock) {
      sends.awaitSlot(id);
      sends.postAndFlush(id, callers.offset(id), workload.messageBytes());
    }
  }

  private void receive() throws TransportException {
    try {
      receives.await(received, workload.waiting());
      while (!Callers.isEnd(incoming, slots.offset(received))) {
        callers.replied(incoming, slots.offset(received));
        if (receives.isLast(received)) {
          receives.awaitGroup(received, workload.waiting());
          receives.postGroup();
        }
        received++;
        receives.await(received, workload.waiting());
      }
      long first = received - received % groupSize;
      for (; first < receives.posted(); first += groupSize) {
        receives.awaitGroup(first, workload.waiting());
      }
    } catch (TransportException | RuntimeException e) {
      callers.failed(e);
      throw e;
    }
  }
}
