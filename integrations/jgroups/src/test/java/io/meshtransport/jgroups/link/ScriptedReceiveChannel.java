// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The receiving end of a channel whose peer sends what the test says. */
final class ScriptedReceiveChannel implements ReceiveChannel {
  private static final long TOO_LONG = -1;

  /** Receives of one request; what has not arrived has no length. */
  private record Posted(RegisteredMemory memory, long[] offsets, long[] receives, Long[] lengths) {
    boolean isFull() {
      return Arrays.stream(lengths).allMatch(length -> length != null);
    }

    int arrived() {
      int count = 0;
      while (count < lengths.length && lengths[count] != null && lengths[count] != TOO_LONG) {
        count++;
      }
      return count;
    }
  }

  private final Map<Long, Posted> requests = new TreeMap<>();
  private final List<Integer> groups = new ArrayList<>();
  private ChannelState state = ChannelState.READY;
  private TransportException failure;
  private long nextRequest;
  private long moves;
  private boolean waits;

  /** How long a peer's message waits for a receive. */
  private static final long ROOM_MS = 20_000;

  /**
   * The peer sends a message into the first receive that is free, once there is one; nothing
   * happens if the channel is over.
   */
  synchronized ScriptedReceiveChannel arrive(byte[] message) {
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROOM_MS);
    try {
      while (freeRooms() == 0 && state == ChannelState.READY && System.nanoTime() < untilNs) {
        wait(1);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (state != ChannelState.READY) {
      return this;
    }
    for (Posted posted : requests.values()) {
      for (int receive = 0; receive < posted.lengths().length; receive++) {
        if (posted.lengths()[receive] == null) {
          put(posted, receive, message);
          moved();
          return this;
        }
      }
    }
    throw new IllegalStateException("no receive is posted");
  }

  private static void put(Posted posted, int receive, byte[] message) {
    boolean fits = message.length <= posted.receives()[receive];
    posted.lengths()[receive] = fits ? message.length : TOO_LONG;
    if (fits) {
      ByteBuffer memory = posted.memory().segments().get(0);
      memory.put((int) posted.offsets()[receive], message);
    }
  }

  /** The channel fails; what has arrived so far stays. */
  synchronized ScriptedReceiveChannel fail(TransportException why) {
    failure = why;
    state = ChannelState.FAILED;
    moved();
    return this;
  }

  private void moved() {
    moves++;
    notifyAll();
  }

  /** How many receives each request had that was posted, in order. */
  synchronized List<Integer> groups() {
    return List.copyOf(groups);
  }

  /** Receives in which nothing has arrived. */
  synchronized int freeRooms() {
    return requests.values().stream()
        .mapToInt(p -> (int) Arrays.stream(p.lengths()).filter(l -> l == null).count())
        .sum();
  }

  /** Whether a thread waits for an event. */
  synchronized boolean isWaitedFor() {
    return waits;
  }

  @Override
  public Map<Counter, Long> counts() {
    return Map.of();
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized long irecv(ReceiveGroup group, long timeoutNs) {
    if (state == ChannelState.CLOSED) {
      throw new IllegalStateException("the channel is closed");
    }
    if (state == ChannelState.FAILED) {
      return FAILED;
    }
    if (requests.size() == Transport.MAX_REQUESTS) {
      return BUSY;
    }
    int size = group.size();
    long[] offsets = new long[size];
    long[] receives = new long[size];
    for (int receive = 0; receive < size; receive++) {
      offsets[receive] = group.offsetBytes(receive);
      receives[receive] = group.lengthBytes(receive);
    }
    requests.put(nextRequest, new Posted(group.memory(0), offsets, receives, new Long[size]));
    groups.add(size);
    return nextRequest++;
  }

  @Override
  public long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    return irecv(new ReceiveGroup().add(memory, offsetBytes, lengthBytes, tag), timeoutNs);
  }

  private Posted posted(long request) {
    Posted posted = requests.get(request);
    if (posted == null) {
      throw new IllegalArgumentException("no request " + request);
    }
    return posted;
  }

  @Override
  public synchronized int receivedSoFar(long request, long[] lengthsBytes) {
    Posted posted = posted(request);
    int count = posted.arrived();
    for (int receive = 0; receive < count; receive++) {
      lengthsBytes[receive] = posted.lengths()[receive];
    }
    return count;
  }

  @Override
  public synchronized long test(long request, long[] lengthsBytes) {
    Posted posted = posted(request);
    if (!posted.isFull() && state == ChannelState.READY) {
      return PENDING;
    }
    boolean whole = posted.arrived() == posted.lengths().length;
    receivedSoFar(request, lengthsBytes);
    requests.remove(request);
    if (!whole && failure == null) {
      failure =
          new TransportException(
              TransportException.Reason.MESSAGE_TOO_LONG, "longer than its receive");
    }
    return whole ? Arrays.stream(posted.lengths()).mapToLong(Long::longValue).sum() : FAILED;
  }

  @Override
  public long test(long request) {
    return test(request, new long[Transport.MAX_GROUP]);
  }

  @Override
  public long await(long request, Duration timeout) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized long progressCount() {
    return moves;
  }

  @Override
  public synchronized long awaitProgress(long seen, Duration timeout) {
    long deadlineNs = System.nanoTime() + timeout.toNanos();
    waits = true;
    try {
      long leftNs = timeout.toNanos();
      while (moves == seen && state == ChannelState.READY && leftNs > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        leftNs = deadlineNs - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      waits = false;
    }
    return moves;
  }

  @Override
  public void detach(long request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized TransportException failure() {
    if (failure == null) {
      throw new IllegalStateException("nothing failed");
    }
    return failure;
  }

  @Override
  public synchronized ChannelState state() {
    return state;
  }

  @Override
  public Route route() {
    return new Route("peer", "", "nic0", "10.0.0.1/24", "10.0.0.2", "10.0.0.0/24", "gid", "why", 1);
  }

  @Override
  public synchronized void close() {
    state = ChannelState.CLOSED;
    moved();
  }
}
