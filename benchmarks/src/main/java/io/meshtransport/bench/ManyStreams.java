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
final class ManyStreams {
  private static final int WINDOW = 2;
  private static final long LIMIT_NS = Duration.ofSeconds(30).toNanos();

  private final Transport transport;
  private final int messageBytes;

  /** What goes on in one channel. */
  private static final class Lane {
    private final Channel channel;
    private final Stamps stamps;
    private final int base;
    private final long[] requests = new long[WINDOW];
    private long begun;
    private long over;
    private boolean isEnded;

    /**
     * @param base where its part of the memory begins
     */
    private Lane(Channel channel, Stamps stamps, int base) {
      this.channel = channel;
      this.stamps = stamps;
      this.base = base;
    }

    /** Where the next message goes to or comes from. */
    private long offset() {
      return (long) base + stamps.offset(begun);
    }

    private boolean isFull() {
      return begun - over == WINDOW;
    }

    private void begin(long request) throws TransportException {
      requests[(int) (begun % WINDOW)] = Outcomes.begun(channel, request);
      begun++;
    }

    /** The length of the oldest message in flight if it has ended, or PENDING. */
    private long look() throws TransportException {
      long outcome = channel.test(requests[(int) (over % WINDOW)]);
      if (outcome == Channel.FAILED) {
        throw channel.failure();
      }
      return outcome;
    }
  }

  ManyStreams(Transport transport, int messageBytes) {
    this.transport = transport;
    this.messageBytes = messageBytes;
  }

  /** Sends on all channels for some time, and then those messages that say so. */
  ScaleEvent.Moved send(List<SendChannel> channels, Duration time) throws TransportException {
    try (RegisteredMemory memory = allocate(channels.size())) {
      List<Lane> lanes = lanes(channels, memory);
      lanes.forEach(lane -> lane.stamps.fill());
      long begin = System.nanoTime();
      long end = begin + time.toNanos();
      while (System.nanoTime() - end < 0) {
        for (Lane lane : lanes) {
          reap(lane);
          if (!lane.isFull()) {
            lane.stamps.stamp(lane.begun);
            send(lane, memory, messageBytes);
          }
        }
      }
      finish(lanes);
      long nanos = System.nanoTime() - begin;
      long messages = lanes.stream().mapToLong(lane -> lane.over).sum();
      for (Lane lane : lanes) {
        // One for each receive that is posted.
        while (!lane.isFull()) {
          lane.stamps.stampEnd(lane.begun);
          send(lane, memory, Stamps.BYTES);
        }
      }
      finish(lanes);
      return new ScaleEvent.Moved(messages, nanos);
    }
  }

  private void send(Lane lane, RegisteredMemory memory, int lengthBytes) throws TransportException {
    lane.begin(
        ((SendChannel) lane.channel).isend(memory, lane.offset(), lengthBytes, MeshReceives.TAG));
  }

  private static void reap(Lane lane) throws TransportException {
    while (lane.begun > lane.over && lane.look() != Channel.PENDING) {
      lane.over++;
    }
  }

  private static void finish(List<Lane> lanes) throws TransportException {
    long deadline = System.nanoTime() + LIMIT_NS;
    for (Lane lane : lanes) {
      while (lane.begun > lane.over) {
        reap(lane);
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
  ScaleEvent.Moved receive(List<ReceiveChannel> channels) throws TransportException {
    try (RegisteredMemory memory = allocate(channels.size())) {
      List<Lane> lanes = lanes(channels, memory);
      for (Lane lane : lanes) {
        while (!lane.isFull()) {
          receive(lane, memory);
        }
      }
      long messages = 0;
      long deadline = System.nanoTime() + LIMIT_NS;
      List<Lane> open = new ArrayList<>(lanes);
      while (!open.isEmpty()) {
        long before = messages;
        for (Lane lane : open) {
          messages += take(lane, memory);
        }
        open.removeIf(lane -> lane.begun == lane.over);
        if (messages > before) {
          deadline = System.nanoTime() + LIMIT_NS;
        }
        requireTime(deadline);
      }
      return new ScaleEvent.Moved(messages, 0);
    }
  }

  /** Polls what has arrived in a lane, and posts another receive unless it was the last. */
  private int take(Lane lane, RegisteredMemory memory) throws TransportException {
    long length = lane.look();
    if (length == Channel.PENDING) {
      return 0;
    }
    lane.isEnded |= lane.stamps.isEnd(lane.over, length);
    lane.over++;
    if (lane.isEnded) {
      return 0;
    }
    receive(lane, memory);
    return 1;
  }

  private void receive(Lane lane, RegisteredMemory memory) throws TransportException {
    lane.stamps.prepare(lane.begun);
    lane.begin(
        ((ReceiveChannel) lane.channel)
            .irecv(memory, lane.offset(), messageBytes, MeshReceives.TAG));
  }

  private RegisteredMemory allocate(int lanes) throws TransportException {
    return transport.register(ByteBuffer.allocateDirect(lanes * WINDOW * messageBytes));
  }

  private List<Lane> lanes(List<? extends Channel> channels, RegisteredMemory memory) {
    ByteBuffer bytes = memory.segments().get(0);
    int laneBytes = WINDOW * messageBytes;
    List<Lane> lanes = new ArrayList<>();
    for (Channel channel : channels) {
      int base = lanes.size() * laneBytes;
      ByteBuffer part = bytes.slice(base, laneBytes);
      lanes.add(new Lane(channel, new Stamps(part, WINDOW, messageBytes, WINDOW), base));
    }
    return lanes;
  }
}
