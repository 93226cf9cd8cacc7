// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The sending end of a channel whose peer accepts messages when the test calls for it. */
final class ScriptedSendChannel implements SendChannel {
  /** What is to happen while it closes. */
  volatile Runnable onClose = () -> {};

  private final Map<Long, Integer> lengths = new TreeMap<>();
  private final Map<Long, Long> outcomes = new TreeMap<>();
  private final List<ByteBuffer> sent = new ArrayList<>();
  private ChannelState state = ChannelState.READY;
  private TransportException failure;
  private boolean acceptsAll;
  private boolean selective;
  private boolean waits;
  private long nextRequest;
  private long moves;
  private int tests;

  static TransportException peerGone() {
    return new TransportException(TransportException.Reason.PEER_GONE, "the peer fell silent");
  }

  /** From now on the peer accepts every message at once. */
  synchronized ScriptedSendChannel acceptAll() {
    acceptsAll = true;
    lengths.keySet().stream().filter(r -> !outcomes.containsKey(r)).forEach(this::accept);
    moved();
    return this;
  }

  /** The peer accepts the first message that it has not accepted. */
  synchronized void acceptNext() {
    accept(unaccepted().get(0));
    moved();
  }

  /** The peer accepts the last message, which overtakes others. */
  synchronized void acceptLast() {
    accept(unaccepted().get(unaccepted().size() - 1));
    moved();
  }

  private void accept(long request) {
    outcomes.put(request, (long) lengths.get(request));
  }

  private List<Long> unaccepted() {
    return lengths.keySet().stream().filter(r -> !outcomes.containsKey(r)).toList();
  }

  /** The channel fails, and with it what the peer has not taken. */
  synchronized ScriptedSendChannel fail(TransportException why) {
    failure = why;
    state = ChannelState.FAILED;
    unaccepted().forEach(request -> outcomes.put(request, FAILED));
    moved();
    return this;
  }

  private void moved() {
    moves++;
    notifyAll();
  }

  /** Every message whose send began, in order. */
  synchronized List<ByteBuffer> sent() {
    return List.copyOf(sent);
  }

  /** How often a request was tested. */
  synchronized int tests() {
    return tests;
  }

  /** Requests whose outcome was not reported to any caller. */
  synchronized int outstanding() {
    return lengths.size();
  }

  synchronized boolean isSelective() {
    return selective;
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
  public Latencies latencies() {
    return Latencies.NONE;
  }

  @Override
  public synchronized long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    if (state == ChannelState.CLOSED) {
      throw new IllegalStateException("the channel is closed");
    }
    if (state == ChannelState.FAILED) {
      return FAILED;
    }
    if (lengths.size() == Transport.MAX_REQUESTS) {
      return BUSY;
    }
    ByteBuffer copy = ByteBuffer.allocate((int) lengthBytes);
    copy.put(0, memory.segments().get(0), (int) offsetBytes, (int) lengthBytes);
    sent.add(copy);
    long request = nextRequest++;
    lengths.put(request, (int) lengthBytes);
    if (acceptsAll) {
      accept(request);
      moved();
    }
    return request;
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized long test(long request) {
    tests++;
    if (!lengths.containsKey(request)) {
      throw new IllegalArgumentException("no request " + request);
    }
    Long outcome = outcomes.remove(request);
    if (outcome == null) {
      return PENDING;
    }
    lengths.remove(request);
    return outcome;
  }

  @Override
  public long test(long request, long[] lengthsBytes) {
    throw new UnsupportedOperationException();
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
    if (waits) {
      throw new IllegalStateException("two threads wait for one channel");
    }
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
  public synchronized int sendsNeedingProgress() {
    return unaccepted().size();
  }

  @Override
  public synchronized void sendMode(SendMode mode) {
    selective = mode != SendMode.LATENCY;
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
  public void close() {
    onClose.run();
    closeNow();
  }

  private synchronized void closeNow() {
    if (state == ChannelState.CLOSED) {
      return;
    }
    failure = new TransportException(TransportException.Reason.CLOSED, "closed here");
    state = ChannelState.CLOSED;
    unaccepted().forEach(request -> outcomes.put(request, FAILED));
    moved();
  }
}
