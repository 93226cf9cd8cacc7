// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** One end of a pipe, used as a sending or as a receiving channel. Guarded by the pipe. */
final class InMemoryEnd implements SendChannel, ReceiveChannel {
  private final InMemoryPipe pipe;
  private final InMemoryTransport owner;
  private final Route route;
  private final InMemoryRequest[] requests = new InMemoryRequest[Transport.MAX_REQUESTS];
  private final TransferList pieces = new TransferList();
  private final ReceiveGroup single = new ReceiveGroup();
  private long begun;
  private long moves;
  private ChannelState state = ChannelState.READY;
  private TransportException channelFailure;
  private TransportException lastFailure;

  InMemoryEnd(InMemoryPipe pipe, InMemoryTransport owner, String peer) {
    this.pipe = pipe;
    this.owner = owner;
    route = new Route(peer, "", "memory", "10.0.0.1/32", "10.0.0.2", "heap", "", "there is one", 1);
    for (int i = 0; i < requests.length; i++) {
      requests[i] = new InMemoryRequest();
    }
  }

  /** A copy in memory has nothing worth counting: all are zero. */
  @Override
  public Map<Counter, Long> counts() {
    return Arrays.stream(Counter.values())
        .collect(Collectors.toMap(counter -> counter, counter -> 0L));
  }

  /** Nor anything worth timing. */
  @Override
  public Latencies latencies() {
    return Latencies.NONE;
  }

  @Override
  public long isend(RegisteredMemory memory, long offset, long length, int tag, long timeoutNs) {
    return beginSingle(memory, offset, length, tag, timeoutNs);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    return beginPlain(buffer, tag, timeoutNs, false);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    return beginPlain(buffer, tag, timeoutNs, true);
  }

  private long beginPlain(ByteBuffer buffer, int tag, long timeoutNs, boolean isReceive) {
    synchronized (pipe) {
      InMemoryPlain.Loan loan = owner.plain().lend(buffer, isReceive);
      if (loan == null) {
        return BUSY;
      }
      long request =
          beginSingle(loan.memory(), loan.offsetBytes(), buffer.remaining(), tag, timeoutNs);
      if (request < 0) {
        loan.end();
        return request;
      }
      InMemoryRequest mine = find(request);
      mine.loan = loan;
      if (!mine.isPending()) {
        mine.endLoan();
      }
      return request;
    }
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offset,
      long length,
      RemoteMemory remote,
      long remoteOffset,
      long timeoutNs) {
    return iput(pieces.clear().add(memory, offset, length, remote, remoteOffset), timeoutNs);
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offset,
      long length,
      RemoteMemory remote,
      long remoteOffset,
      long timeoutNs) {
    return iget(pieces.clear().add(memory, offset, length, remote, remoteOffset), timeoutNs);
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    return transfer(list, RemoteAccess.PUT, timeoutNs);
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    return transfer(list, RemoteAccess.GET, timeoutNs);
  }

  private long transfer(TransferList list, RemoteAccess access, long timeoutNs) {
    synchronized (pipe) {
      if (state == ChannelState.CLOSED) {
        throw new IllegalStateException("channel is closed");
      }
      InMemoryTransfer.check(list, access, owner);
      if (state == ChannelState.FAILED) {
        return FAILED;
      }
      for (int slot = 0; slot < requests.length; slot++) {
        if (requests[slot].number == InMemoryRequest.FREE) {
          requests[slot].begin(++begun * requests.length + slot, timeoutNs);
          carryOut(list, access, requests[slot]);
          return requests[slot].number;
        }
      }
      return BUSY;
    }
  }

  private void carryOut(TransferList list, RemoteAccess access, InMemoryRequest request) {
    if (InMemoryTransfer.isElsewhere(list, pipe.peerOf(this).owner)) {
      request.fail(new TransportException(Reason.REMOTE_ACCESS, "memory of another node"));
    } else if (InMemoryTransfer.isStale(list)) {
      TransportException why = new TransportException(Reason.REMOTE_ACCESS, "closed memory");
      fail(why);
      pipe.peerOf(this).fail(new TransportException(Reason.PEER_GONE, "the peer has failed"));
    } else {
      request.result = InMemoryTransfer.copy(list, access);
      moved();
      pipe.notifyAll();
    }
  }

  @Override
  public long irecv(RegisteredMemory memory, long offset, long length, int tag, long timeoutNs) {
    return beginSingle(memory, offset, length, tag, timeoutNs);
  }

  private long beginSingle(
      RegisteredMemory memory, long offset, long length, int tag, long timeoutNs) {
    return irecv(single.clear().add(memory, offset, length, tag), timeoutNs);
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    synchronized (pipe) {
      check(group);
      if (state == ChannelState.FAILED) {
        return FAILED;
      }
      for (int slot = 0; slot < requests.length; slot++) {
        if (requests[slot].number == InMemoryRequest.FREE) {
          return begin(slot, group, timeoutNs);
        }
      }
      return BUSY;
    }
  }

  private void check(ReceiveGroup group) {
    if (state == ChannelState.CLOSED) {
      throw new IllegalStateException("channel is closed");
    }
    if (group.size() == 0) {
      throw new IllegalArgumentException("the group is empty");
    }
    for (int i = 0; i < group.size(); i++) {
      if (!(group.memory(i) instanceof InMemoryMemory memory)) {
        throw new IllegalArgumentException("memory of another transport");
      }
      memory.check(owner, group.offsetBytes(i), group.lengthBytes(i));
    }
  }

  private long begin(int slot, ReceiveGroup group, long timeoutNs) {
    InMemoryRequest request = requests[slot];
    // Counts up in the order of beginning, and names its slot in the last digits.
    request.begin(++begun * requests.length + slot, timeoutNs);
    for (int i = 0; i < group.size(); i++) {
      request.add(group.memory(i), group.offsetBytes(i), group.lengthBytes(i), group.tag(i));
    }
    pipe.match();
    return request.number;
  }

  /** The oldest pending request that is younger than this one; null means the oldest of all. */
  InMemoryRequest firstAfter(InMemoryRequest previous) {
    InMemoryRequest first = null;
    for (InMemoryRequest request : requests) {
      if (request.isPending()
          && (previous == null || request.number > previous.number)
          && (first == null || request.number < first.number)) {
        first = request;
      }
    }
    return first;
  }

  InMemoryRequest firstWaitingFor(int tag) {
    InMemoryRequest candidate = null;
    while ((candidate = firstAfter(candidate)) != null) {
      if (candidate.waitingFor(tag) >= 0) {
        return candidate;
      }
    }
    return null;
  }

  /** A late send is withdrawn; a late receive takes the channel with it. */
  void expire() {
    for (InMemoryRequest request : requests) {
      if (request.isLate()) {
        TransportException why =
            new TransportException(Reason.TIMED_OUT, route + ": the deadline passed");
        request.fail(why);
        moved();
        if (this == pipe.receiver) {
          fail(why);
          pipe.peerOf(this).fail(new TransportException(Reason.PEER_CLOSED, "the peer gave up"));
        }
      }
    }
  }

  private void fail(TransportException why) {
    if (state == ChannelState.READY) {
      state = ChannelState.FAILED;
      channelFailure = why;
      failPending(why);
    }
  }

  private void failPending(TransportException why) {
    moved();
    for (InMemoryRequest request : requests) {
      if (request.isPending()) {
        request.fail(why);
      }
    }
  }

  @Override
  public int sendsNeedingProgress() {
    synchronized (pipe) {
      int count = 0;
      for (InMemoryRequest request : requests) {
        count += request.isPending() ? 1 : 0;
      }
      return count;
    }
  }

  @Override
  public long progressCount() {
    synchronized (pipe) {
      return moves;
    }
  }

  @Override
  public long awaitProgress(long seen, Duration timeout) {
    long begin = System.nanoTime();
    synchronized (pipe) {
      expire();
      while (moves == seen
          && state == ChannelState.READY
          && System.nanoTime() - begin < Blocking.nanos(timeout)) {
        try {
          // Wakes up for the requests' own deadlines as well.
          pipe.wait(1);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return moves;
        }
        expire();
      }
      return moves;
    }
  }

  /** Something moved, as {@link Channel#progressCount} counts. */
  void moved() {
    moves++;
  }

  @Override
  public long test(long request) {
    return test(request, null);
  }

  @Override
  public long test(long number, long[] lengthsBytes) {
    synchronized (pipe) {
      InMemoryRequest request = find(number);
      if (lengthsBytes != null && lengthsBytes.length < request.size) {
        throw new IllegalArgumentException("room for fewer than " + request.size + " lengths");
      }
      expire();
      long result = request.result;
      if (result != PENDING) {
        finish(request, lengthsBytes);
      }
      return result;
    }
  }

  @Override
  public int receivedSoFar(long number, long[] lengthsBytes) {
    synchronized (pipe) {
      InMemoryRequest request = find(number);
      if (lengthsBytes.length < request.size) {
        throw new IllegalArgumentException("room for fewer than " + request.size + " lengths");
      }
      expire();
      int count = request.arrivedInOrder();
      System.arraycopy(request.arrivedBytes, 0, lengthsBytes, 0, count);
      return count;
    }
  }

  @Override
  public void sendMode(SendMode mode) {
    // There is no acknowledgement and no wire here.
  }

  private void finish(InMemoryRequest request, long[] lengthsBytes) {
    request.number = InMemoryRequest.FREE;
    if (request.failure != null) {
      lastFailure = request.failure;
    } else if (lengthsBytes != null) {
      System.arraycopy(request.arrivedBytes, 0, lengthsBytes, 0, request.size);
    }
  }

  private InMemoryRequest find(long number) {
    InMemoryRequest request = requests[(int) (number & requests.length - 1)];
    if (number < 0 || request.number != number) {
      throw new IllegalArgumentException("no request " + number);
    }
    return request;
  }

  @Override
  public long await(long request, Duration timeout) {
    long begin = System.nanoTime();
    synchronized (pipe) {
      long result = test(request);
      while (result == PENDING && System.nanoTime() - begin < Blocking.nanos(timeout)) {
        try {
          // Wakes up for the request's own deadline as well.
          pipe.wait(1);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return PENDING;
        }
        result = test(request);
      }
      return result;
    }
  }

  @Override
  public void detach(long number) {
    synchronized (pipe) {
      find(number).forget();
    }
  }

  @Override
  public ChannelState state() {
    synchronized (pipe) {
      return state;
    }
  }

  @Override
  public Route route() {
    return route;
  }

  @Override
  public String toString() {
    synchronized (pipe) {
      long outstanding =
          Arrays.stream(requests).filter(each -> each.number != InMemoryRequest.FREE).count();
      return route + ": " + state + ", " + outstanding + " requests outstanding";
    }
  }

  @Override
  public TransportException failure() {
    synchronized (pipe) {
      if (lastFailure == null && channelFailure == null) {
        throw new IllegalStateException("nothing failed");
      }
      return (lastFailure != null ? lastFailure : channelFailure).copy();
    }
  }

  @Override
  public void close() {
    synchronized (pipe) {
      failPending(new TransportException(Reason.CLOSED, route + ": closed here"));
      state = ChannelState.CLOSED;
      pipe.peerOf(this)
          .fail(new TransportException(Reason.PEER_CLOSED, route + ": closed by the peer"));
      pipe.notifyAll();
    }
    owner.forget(this);
  }
}
