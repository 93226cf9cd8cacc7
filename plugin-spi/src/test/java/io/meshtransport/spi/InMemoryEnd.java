// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * One end of a pipe: a connection, or as much of one as a sending or a receiving channel is.
 * Guarded by the pipe.
 */
final class InMemoryEnd implements Connection {
  private static final long NO_NOTICE = -1;

  private final InMemoryPipe pipe;
  private final InMemoryTransport owner;
  private final Peer peer;
  private final ConnectOptions options;
  private final long deadlineNs;
  private final byte[] hello;
  private final Route route;
  private final InMemoryRequest[] requests;
  private final TransferList pieces = new TransferList();
  private final ReceiveGroup single = new ReceiveGroup();
  private long begun;
  private long moves;
  private ChannelState state = ChannelState.READY;
  private TransportException channelFailure;

  /** Why requests failed, of the last that did. */
  private final Map<Long, TransportException> failures =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, TransportException> eldest) {
          return size() > maxRequests();
        }
      };

  private long ended;
  private InMemoryPoller poller;
  private boolean closeReported;
  private final InMemoryNotices notices = new InMemoryNotices();

  /** The multi-receive that is being begun, or null. */
  private MultiReceive multi;

  private final InMemoryMessages messages = new InMemoryMessages();

  /** Puts and gets behind a put whose notice the peer has no space for, oldest first. */
  private final ArrayDeque<Held> held = new ArrayDeque<>(0);

  /**
   * A put or get that waits.
   *
   * @param notice unsigned, or {@link #NO_NOTICE}
   */
  private record Held(
      InMemoryRequest request, long number, TransferList list, RemoteAccess access, long notice) {}

  InMemoryEnd(
      InMemoryPipe pipe,
      InMemoryTransport owner,
      Peer peer,
      ConnectOptions options,
      int maxRequests,
      byte[] hello) {
    this.pipe = pipe;
    this.owner = owner;
    this.peer = peer;
    this.options = options;
    this.hello = hello;
    deadlineNs = options.deadlineNs().orElse(Connection.NO_DEADLINE);
    route =
        new Route(
            peer.shortId(),
            peer.name(),
            "memory",
            "10.0.0.1/32",
            "10.0.0.2",
            "heap",
            "",
            "there is one",
            1);
    requests = new InMemoryRequest[maxRequests];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = new InMemoryRequest(this);
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
  public String name() {
    return options.name();
  }

  @Override
  public int maxRequests() {
    return requests.length;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public byte[] hello() {
    return hello.clone();
  }

  @Override
  public long isend(RegisteredMemory memory, long offset, long length, int tag) {
    return isend(memory, offset, length, tag, deadlineNs, 0);
  }

  @Override
  public long isend(RegisteredMemory memory, long offset, long length, int tag, long timeoutNs) {
    return isend(memory, offset, length, tag, timeoutNs, 0);
  }

  @Override
  public long isend(
      RegisteredMemory memory, long offset, long length, int tag, long timeoutNs, long userData) {
    return beginSingle(CompletionKind.SENT, memory, offset, length, tag, timeoutNs, userData);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag) {
    return isend(buffer, tag, deadlineNs, 0);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    return isend(buffer, tag, timeoutNs, 0);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    return beginPlain(CompletionKind.SENT, buffer, tag, timeoutNs, userData);
  }

  @Override
  public long isend(GatherList list, int tag) {
    return isend(list, tag, deadlineNs, 0);
  }

  @Override
  public long isend(GatherList list, int tag, long timeoutNs) {
    return isend(list, tag, timeoutNs, 0);
  }

  @Override
  public long isend(GatherList list, int tag, long timeoutNs, long userData) {
    long length = InMemoryTransfer.requireGatherable(list, owner);
    InMemoryMemory whole = InMemoryTransfer.gathered(list, owner, length);
    return isend(whole, 0, length, tag, timeoutNs, userData);
  }

  @Override
  public long irecv(RegisteredMemory memory, long offset, long length, int tag) {
    return irecv(memory, offset, length, tag, deadlineNs, 0);
  }

  @Override
  public long irecv(RegisteredMemory memory, long offset, long length, int tag, long timeoutNs) {
    return irecv(memory, offset, length, tag, timeoutNs, 0);
  }

  @Override
  public long irecv(
      RegisteredMemory memory, long offset, long length, int tag, long timeoutNs, long userData) {
    return beginSingle(CompletionKind.RECEIVED, memory, offset, length, tag, timeoutNs, userData);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag) {
    return irecv(buffer, tag, deadlineNs, 0);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    return irecv(buffer, tag, timeoutNs, 0);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    return beginPlain(CompletionKind.RECEIVED, buffer, tag, timeoutNs, userData);
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    return begin(CompletionKind.RECEIVED, group, timeoutNs, 0);
  }

  @Override
  public long irecv(MultiReceive receive, long timeoutNs, long userData) {
    synchronized (pipe) {
      if (receive.messages() > Transport.MAX_GROUP * maxRequests()) {
        throw new IllegalArgumentException(receive.messages() + " messages");
      }
      multi = receive;
      try {
        return beginSingle(
            CompletionKind.RECEIVED,
            receive.memory(),
            receive.offsetBytes(),
            receive.lengthBytes(),
            receive.tag(),
            timeoutNs,
            userData);
      } finally {
        multi = null;
      }
    }
  }

  /** A message of a multi-receive is in its memory. */
  void messageCame(InMemoryRequest request, long offsetBytes, long lengthBytes) {
    if (poller != null) {
      messages.add(request, offsetBytes, lengthBytes, nextEnd());
    } else {
      moved();
    }
  }

  private long beginPlain(
      CompletionKind kind, ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    synchronized (pipe) {
      InMemoryPlain.Loan loan = owner.plain().lend(buffer, kind == CompletionKind.RECEIVED);
      if (loan == null) {
        if (isFull()) {
          return BUSY;
        }
        return beginFailed(
            kind, new TransportException(Reason.NO_RESOURCES, "all copies are in use"), userData);
      }
      long request =
          beginSingle(
              kind,
              loan.memory(),
              loan.offsetBytes(),
              buffer.remaining(),
              tag,
              timeoutNs,
              userData);
      if (request < 0) {
        loan.end();
        return request;
      }
      InMemoryRequest mine = requests[slot(request)];
      mine.loan = loan;
      if (!mine.isPending()) {
        mine.endLoan();
      }
      return request;
    }
  }

  private long beginFailed(CompletionKind kind, TransportException why, long userData) {
    if (state == ChannelState.FAILED) {
      return FAILED;
    }
    InMemoryRequest request = begin(kind, NO_DEADLINE, userData);
    long number = request.number;
    request.fail(why);
    return number;
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offset,
      long length,
      RemoteMemory remote,
      long remoteOffset,
      long timeoutNs) {
    synchronized (pipe) {
      return iput(pieces.clear().add(memory, offset, length, remote, remoteOffset), timeoutNs);
    }
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offset,
      long length,
      RemoteMemory remote,
      long remoteOffset,
      long timeoutNs) {
    synchronized (pipe) {
      return iget(pieces.clear().add(memory, offset, length, remote, remoteOffset), timeoutNs);
    }
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    return iput(list, timeoutNs, 0);
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    return iget(list, timeoutNs, 0);
  }

  @Override
  public long iput(TransferList list, long timeoutNs, long userData) {
    return transfer(CompletionKind.PUT, list, RemoteAccess.PUT, NO_NOTICE, timeoutNs, userData);
  }

  @Override
  public long iput(TransferList list, int notice, long timeoutNs, long userData) {
    return transfer(
        CompletionKind.PUT,
        list,
        RemoteAccess.PUT,
        Integer.toUnsignedLong(notice),
        timeoutNs,
        userData);
  }

  @Override
  public long iget(TransferList list, long timeoutNs, long userData) {
    return transfer(CompletionKind.GOT, list, RemoteAccess.GET, NO_NOTICE, timeoutNs, userData);
  }

  private long transfer(
      CompletionKind kind,
      TransferList list,
      RemoteAccess access,
      long notice,
      long timeoutNs,
      long userData) {
    synchronized (pipe) {
      pipe.expire();
      if (state != ChannelState.READY) {
        return FAILED;
      }
      InMemoryTransfer.check(list, access, owner);
      InMemoryRequest request = begin(kind, timeoutNs, userData);
      if (request == null) {
        return BUSY;
      }
      long number = request.number;
      if (held.isEmpty() && pipe.peerOf(this).hasSpaceFor(notice)) {
        carryOut(list, access, notice, request);
      } else {
        held.add(new Held(request, number, copyOf(list), access, notice));
      }
      return number;
    }
  }

  private static TransferList copyOf(TransferList list) {
    TransferList copy = new TransferList();
    for (int i = 0; i < list.size(); i++) {
      copy.add(
          list.memory(i),
          list.offsetBytes(i),
          list.lengthBytes(i),
          list.remote(i),
          list.remoteOffsetBytes(i));
    }
    return copy;
  }

  private boolean hasSpaceFor(long notice) {
    return notice == NO_NOTICE || !notices.isFull(CompletionKind.NOTICE);
  }

  /** A message of the peer's has no receive here: reports it once, if the options say so. */
  void unexpected(InMemoryRequest send) {
    boolean isDue =
        options.reportsUnexpected()
            && state == ChannelState.READY
            && !send.isReported
            && !notices.isFull(CompletionKind.UNEXPECTED);
    if (isDue) {
      send.isReported = true;
      notices.add(CompletionKind.UNEXPECTED, send.tags[0], send.lengthsBytes[0], nextEnd());
    }
  }

  /** The request before which no message may be sent that was begun later. */
  long firstHeld() {
    return held.isEmpty() ? Long.MAX_VALUE : held.getFirst().number();
  }

  /** Carries out what need not wait any more, in order; whether there was any. */
  boolean carryOutHeld() {
    int before = held.size();
    InMemoryEnd peer = pipe.peerOf(this);
    while (!held.isEmpty()
        && (isOver(held.getFirst()) || peer.hasSpaceFor(held.getFirst().notice()))) {
      Held next = held.removeFirst();
      if (!isOver(next)) {
        carryOut(next.list(), next.access(), next.notice(), next.request());
      }
    }
    return held.size() < before;
  }

  private static boolean isOver(Held some) {
    return some.request().number != some.number() || !some.request().isPending();
  }

  private void carryOut(
      TransferList list, RemoteAccess access, long notice, InMemoryRequest request) {
    if (InMemoryTransfer.isElsewhere(list, pipe.peerOf(this).owner)) {
      request.fail(new TransportException(Reason.REMOTE_ACCESS, "memory of another node"));
    } else if (InMemoryTransfer.isStale(list)) {
      TransportException why = new TransportException(Reason.REMOTE_ACCESS, "closed memory");
      fail(why);
      pipe.peerOf(this)
          .fail(new TransportException(Reason.REMOTE_ACCESS, "the peer tried closed memory"));
    } else {
      long lengthBytes = InMemoryTransfer.copy(list, access);
      request.end(lengthBytes);
      if (notice != NO_NOTICE) {
        InMemoryEnd peer = pipe.peerOf(this);
        peer.notices.add(CompletionKind.NOTICE, (int) notice, lengthBytes, peer.nextEnd());
      }
    }
    pipe.notifyAll();
  }

  private long beginSingle(
      CompletionKind kind,
      RegisteredMemory memory,
      long offset,
      long length,
      int tag,
      long timeoutNs,
      long userData) {
    synchronized (pipe) {
      return begin(kind, single.clear().add(memory, offset, length, tag), timeoutNs, userData);
    }
  }

  private long begin(CompletionKind kind, ReceiveGroup group, long timeoutNs, long userData) {
    synchronized (pipe) {
      if (state != ChannelState.READY) {
        return FAILED;
      }
      check(group);
      InMemoryRequest request = begin(kind, timeoutNs, userData);
      if (request == null) {
        return BUSY;
      }
      for (int i = 0; i < group.size(); i++) {
        request.add(group.memory(i), group.offsetBytes(i), group.lengthBytes(i), group.tag(i));
      }
      if (multi != null) {
        request.beginMulti(multi);
      }
      long number = request.number;
      pipe.match();
      return number;
    }
  }

  private boolean isFull() {
    return Arrays.stream(requests).noneMatch(each -> each.number == InMemoryRequest.FREE);
  }

  /** Null if all requests are outstanding. */
  private InMemoryRequest begin(CompletionKind kind, long timeoutNs, long userData) {
    for (int slot = 0; slot < requests.length; slot++) {
      InMemoryRequest request = requests[slot];
      if (request.number == InMemoryRequest.FREE) {
        // Counts up in the order of beginning, and names its slot in the last digits.
        request.begin(++begun * requests.length + slot, kind, timeoutNs, userData);
        return request;
      }
    }
    return null;
  }

  private void check(ReceiveGroup group) {
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

  /**
   * The oldest pending request of a kind that is younger than this one; null: the oldest of all.
   */
  InMemoryRequest firstAfter(InMemoryRequest previous, CompletionKind kind) {
    InMemoryRequest first = null;
    for (InMemoryRequest request : requests) {
      if (request.isPending()
          && request.kind == kind
          && (previous == null || request.number > previous.number)
          && (first == null || request.number < first.number)) {
        first = request;
      }
    }
    return first;
  }

  InMemoryRequest firstWaitingFor(int tag) {
    InMemoryRequest candidate = null;
    while ((candidate = firstAfter(candidate, CompletionKind.RECEIVED)) != null) {
      if (candidate.waitingFor(tag) >= 0) {
        return candidate;
      }
    }
    return null;
  }

  /**
   * A late request is withdrawn; but a late receive of a one-way channel takes the channel with it.
   */
  void expire() {
    for (InMemoryRequest request : requests) {
      if (request.isLate()) {
        TransportException why =
            new TransportException(Reason.TIMED_OUT, route + ": the deadline passed");
        request.fail(why);
        if (request.kind == CompletionKind.RECEIVED && !pipe.isBothWays()) {
          fail(why);
          pipe.peerOf(this)
              .fail(
                  new TransportException(
                      Reason.PEER_CLOSED,
                      pipe.peerOf(this).route + ": closed by the peer: its receive timed out"));
        }
      }
    }
  }

  void fail(TransportException why) {
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
        count += request.isPending() && request.kind == CompletionKind.SENT ? 1 : 0;
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
      pipe.expire();
      while (moves == seen
          && state == ChannelState.READY
          && System.nanoTime() - begin < WaitTimes.nanos(timeout)) {
        try {
          // Wakes up for the requests' own deadlines as well.
          pipe.wait(1);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return moves;
        }
        pipe.expire();
      }
      return moves;
    }
  }

  @Override
  public void withdraw(long number) {
    synchronized (pipe) {
      InMemoryRequest request = find(number);
      if (request.kind != CompletionKind.RECEIVED) {
        throw new IllegalArgumentException("request " + number + " is not a receive");
      }
      pipe.expire();
      if (request.isPending()) {
        request.fail(new TransportException(Reason.WITHDRAWN, route + ": withdrawn"));
        pipe.notifyAll();
      }
    }
  }

  /** A request of this end has failed. */
  void failed(long number, TransportException why) {
    failures.put(number, why);
  }

  @Override
  public TransportException failure(long request) {
    if (request == FAILED) {
      return failure();
    }
    synchronized (pipe) {
      TransportException why = failures.get(request);
      if (why == null) {
        throw new IllegalArgumentException("request " + request + " is none that failed lately");
      }
      return why.copy();
    }
  }

  /** Something moved, as {@link Channel#progressCount} counts. */
  void moved() {
    moves++;
    if (poller != null) {
      poller.signal();
    }
  }

  /** Counts the requests that have ended. */
  long nextEnd() {
    moved();
    return ++ended;
  }

  /** From now on a poller reports. */
  void pollAt(InMemoryPoller newPoller) {
    synchronized (pipe) {
      checkNoPoller();
      for (InMemoryRequest request : requests) {
        if (request.number != InMemoryRequest.FREE && !request.forgotten) {
          throw new IllegalStateException("request " + request.number + " has not been tested");
        }
      }
      poller = newPoller;
      closeReported = false;
    }
  }

  /** The poller was closed: what ends is learned by testing. */
  void leavePoller() {
    synchronized (pipe) {
      poller = null;
    }
  }

  @Override
  public int pollNotices(Completions into) {
    synchronized (pipe) {
      checkNoPoller();
      into.clear();
      while (!notices.isEmpty() && !into.isFull()) {
        notices.pollInto(into, this);
      }
      pipe.polled();
      return into.count();
    }
  }

  /** Adds what has ended to a poller's table. Returns whether nothing more will come. */
  boolean report(Completions into) {
    synchronized (pipe) {
      pipe.expire();
      InMemoryRequest next = firstEnded();
      while ((next != null || !notices.isEmpty() || !messages.isEmpty()) && !into.isFull()) {
        if (isMessageFirst(next)) {
          messages.pollInto(into, this);
          continue;
        }
        if (next == null || !notices.isEmpty() && notices.endedAs() < next.endedAs) {
          notices.pollInto(into, this);
          continue;
        }
        boolean failed = next.failure != null;
        into.add(
            this,
            failed ? kindOf(next.failure) : next.kind,
            next.userData,
            next.number,
            failed ? 0 : next.result,
            failed && kindOf(next.failure) == CompletionKind.FAILED ? next.failure : null);
        next.number = InMemoryRequest.FREE;
        next = firstEnded();
      }
      boolean isAllReported = next == null && notices.isEmpty();
      if (isAllReported && channelFailure != null && !closeReported && !into.isFull()) {
        closeReported = true;
        into.add(this, CompletionKind.CLOSED, 0, -1, 0, channelFailure);
      }
      pipe.polled();
      return closeReported;
    }
  }

  private boolean isMessageFirst(InMemoryRequest next) {
    return !messages.isEmpty()
        && (next == null || messages.endedAs() < next.endedAs)
        && (notices.isEmpty() || messages.endedAs() < notices.endedAs());
  }

  private static CompletionKind kindOf(TransportException failure) {
    return failure.reason() == Reason.WITHDRAWN ? CompletionKind.WITHDRAWN : CompletionKind.FAILED;
  }

  private InMemoryRequest firstEnded() {
    InMemoryRequest first = null;
    for (InMemoryRequest request : requests) {
      if (request.hasEnded()
          && !request.forgotten
          && (first == null || request.endedAs < first.endedAs)) {
        first = request;
      }
    }
    return first;
  }

  private void checkNoPoller() {
    if (poller != null) {
      throw new IllegalStateException(
          route + " is at a poller: the ends of its requests come from there");
    }
  }

  @Override
  public boolean isPolled() {
    synchronized (pipe) {
      return poller != null;
    }
  }

  @Override
  public long test(long request) {
    return test(request, null);
  }

  @Override
  public long test(long number, long[] lengthsBytes) {
    synchronized (pipe) {
      checkNoPoller();
      InMemoryRequest request = find(number);
      if (lengthsBytes != null && lengthsBytes.length < request.maxLengths()) {
        throw new IllegalArgumentException("fewer than " + request.maxLengths() + " elements");
      }
      pipe.expire();
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
      if (lengthsBytes.length < request.maxLengths()) {
        throw new IllegalArgumentException("fewer than " + request.maxLengths() + " elements");
      }
      pipe.expire();
      if (request.multi != null) {
        return request.multi.lengthsSoFar(lengthsBytes);
      }
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
    if (request.failure == null && lengthsBytes != null && request.multi != null) {
      request.multi.lengths(lengthsBytes);
    } else if (request.failure == null && lengthsBytes != null) {
      System.arraycopy(request.arrivedBytes, 0, lengthsBytes, 0, request.size);
    }
  }

  private int slot(long number) {
    return (int) (number % requests.length);
  }

  private InMemoryRequest find(long number) {
    InMemoryRequest request = requests[Math.max(0, slot(number))];
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
      while (result == PENDING && System.nanoTime() - begin < WaitTimes.nanos(timeout)) {
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
      checkNoPoller();
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
      if (channelFailure == null) {
        throw new IllegalStateException("the channel has not failed");
      }
      return channelFailure.copy();
    }
  }

  InMemoryTransport owner() {
    return owner;
  }

  InMemoryPipe pipe() {
    return pipe;
  }

  /** Closing waits for nothing in memory. */
  @Override
  public CompletionStage<Void> closeAsync() {
    close();
    return CompletableFuture.completedStage(null);
  }

  @Override
  public void close() {
    synchronized (pipe) {
      TransportException why = new TransportException(Reason.CLOSED, route + ": closed here");
      channelFailure = channelFailure == null ? why : channelFailure;
      failPending(why);
      state = ChannelState.CLOSED;
      pipe.peerOf(this)
          .fail(new TransportException(Reason.PEER_CLOSED, route + ": closed by the peer"));
      pipe.notifyAll();
    }
    owner.forget(this);
  }
}
