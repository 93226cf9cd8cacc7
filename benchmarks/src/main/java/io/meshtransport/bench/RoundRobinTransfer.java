// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One thread at each end that moves messages on many channels in turn, two at a time on each. It
 * polls all of them in a loop: one thread cannot sleep on several channels. Each message has its
 * number in it, and is compared now and then. Used once.
 */
final class RoundRobinTransfer {
  private static final int WINDOW = 2;
  private static final long LIMIT_NS = Duration.ofSeconds(30).toNanos();

  private final Transport transport;
  private final int messageBytes;

  /** The requests in flight on one channel. */
  private static final class ChannelRing {
    private final Channel channel;
    private final SequencedPayload payload;
    private final int base;
    private final long[] requests = new long[WINDOW];
    private long posted;
    private long completed;
    private boolean isEnded;

    /**
     * @param base where its part of the memory begins
     */
    private ChannelRing(Channel channel, SequencedPayload payload, int base) {
      this.channel = channel;
      this.payload = payload;
      this.base = base;
    }

    /** Offset of the next message. */
    private long offset() {
      return (long) base + payload.offset(posted);
    }

    private boolean isFull() {
      return posted - completed == WINDOW;
    }

    private void add(long request) throws TransportException {
      requests[(int) (posted % WINDOW)] = RequestWaits.requirePosted(channel, request);
      posted++;
    }

    /** The length of the oldest message in flight if it has ended, or PENDING. */
    private long testOldest() throws TransportException {
      long outcome = channel.test(requests[(int) (completed % WINDOW)]);
      if (outcome == Channel.FAILED) {
        throw channel.failure();
      }
      return outcome;
    }
  }

  RoundRobinTransfer(Transport transport, int messageBytes) {
    this.transport = transport;
    this.messageBytes = messageBytes;
  }

  /** Sends on all channels for some time, and then those messages that say so. */
  ScaleEvent.Transferred send(List<SendChannel> channels, Duration time) throws TransportException {
    try (RegisteredMemory memory = allocate(channels.size())) {
      List<ChannelRing> rings = rings(channels, memory);
      rings.forEach(ring -> ring.payload.writeBodies());
      long begin = System.nanoTime();
      long end = begin + time.toNanos();
      while (System.nanoTime() - end < 0) {
        for (ChannelRing ring : rings) {
          reap(ring);
          if (!ring.isFull()) {
            ring.payload.writeSequence(ring.posted);
            send(ring, memory, messageBytes);
          }
        }
      }
      finish(rings);
      long nanos = System.nanoTime() - begin;
      long messages = rings.stream().mapToLong(ring -> ring.completed).sum();
      for (ChannelRing ring : rings) {
        // One for each receive that is posted.
        while (!ring.isFull()) {
          ring.payload.writeEnd(ring.posted);
          send(ring, memory, SequencedPayload.BYTES);
        }
      }
      finish(rings);
      return new ScaleEvent.Transferred(messages, nanos);
    }
  }

  private void send(ChannelRing ring, RegisteredMemory memory, int lengthBytes)
      throws TransportException {
    ring.add(
        ((SendChannel) ring.channel).isend(memory, ring.offset(), lengthBytes, MeshReceives.TAG));
  }

  private static void reap(ChannelRing ring) throws TransportException {
    while (ring.posted > ring.completed && ring.testOldest() != Channel.PENDING) {
      ring.completed++;
    }
  }

  private static void finish(List<ChannelRing> rings) throws TransportException {
    long deadline = System.nanoTime() + LIMIT_NS;
    for (ChannelRing ring : rings) {
      while (ring.posted > ring.completed) {
        reap(ring);
        requireTime(deadline);
      }
    }
  }

  private static void requireTime(long deadline) {
    if (System.nanoTime() - deadline > 0) {
      throw new IllegalStateException("nothing for " + Duration.ofNanos(LIMIT_NS));
    }
  }

  /** Receives on all channels until each has had its last message. */
  ScaleEvent.Transferred receive(List<ReceiveChannel> channels) throws TransportException {
    try (RegisteredMemory memory = allocate(channels.size())) {
      List<ChannelRing> rings = rings(channels, memory);
      for (ChannelRing ring : rings) {
        while (!ring.isFull()) {
          receive(ring, memory);
        }
      }
      long messages = 0;
      long deadline = System.nanoTime() + LIMIT_NS;
      List<ChannelRing> open = new ArrayList<>(rings);
      while (!open.isEmpty()) {
        long before = messages;
        for (ChannelRing ring : open) {
          messages += poll(ring, memory);
        }
        open.removeIf(ring -> ring.posted == ring.completed);
        if (messages > before) {
          deadline = System.nanoTime() + LIMIT_NS;
        }
        requireTime(deadline);
      }
      return new ScaleEvent.Transferred(messages, 0);
    }
  }

  /** Polls what has arrived in a ring, and posts another receive unless it was the last. */
  private int poll(ChannelRing ring, RegisteredMemory memory) throws TransportException {
    long length = ring.testOldest();
    if (length == Channel.PENDING) {
      return 0;
    }
    ring.isEnded |= ring.payload.verifyAndCheckEnd(ring.completed, length);
    ring.completed++;
    if (ring.isEnded) {
      return 0;
    }
    receive(ring, memory);
    return 1;
  }

  private void receive(ChannelRing ring, RegisteredMemory memory) throws TransportException {
    ring.payload.clearIfVerified(ring.posted);
    ring.add(
        ((ReceiveChannel) ring.channel)
            .irecv(memory, ring.offset(), messageBytes, MeshReceives.TAG));
  }

  private RegisteredMemory allocate(int rings) throws TransportException {
    return transport.register(ByteBuffer.allocateDirect(rings * WINDOW * messageBytes));
  }

  private List<ChannelRing> rings(List<? extends Channel> channels, RegisteredMemory memory) {
    ByteBuffer bytes = memory.segments().get(0);
    int ringBytes = WINDOW * messageBytes;
    List<ChannelRing> rings = new ArrayList<>();
    for (Channel channel : channels) {
      int base = rings.size() * ringBytes;
      ByteBuffer part = bytes.slice(base, ringBytes);
      rings.add(
          new ChannelRing(channel, new SequencedPayload(part, WINDOW, messageBytes, WINDOW), base));
    }
    return rings;
  }
}
