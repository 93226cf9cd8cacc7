// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.OneOff;
import io.meshtransport.collectives.Reduction;
import io.meshtransport.collectives.ReductionOrder;
import io.meshtransport.collectives.group.OperationSpec.Kind;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The forms for a single time, over prepared operations on memory of their own, which are kept. All
 * ranks keep and drop the same ones, as that follows from the order of calls alone.
 */
abstract class OneOffForms implements OneOff {
  /** Longer registered memory is not copied: preparing for it costs less than that. */
  private static final long MAX_COPIED_BYTES = 16 << 20;

  private static final String IF_INTERRUPTED =
      "The run goes on with the other ranks, and its result is dropped here. The next call of the same form and count waits for that run first.";

  private static final String IF_INTERRUPTED_UNCACHED =
      "The call has closed its operation. Unless its run was complete, the group has failed with it on every rank, with ABORTED and this rank: go on with Group.rejoin on every rank.";

  private final Map<CallKey, Call> cached = new LinkedHashMap<>(16, 0.75f, true);
  private final Object calls = new Object();
  private volatile Duration timeout = Duration.ofMinutes(1);
  private ReductionOrder order = ReductionOrder.SAME_PLAN;

  /** A reducer counts as an object: two of one class may do different things. */
  private record CallKey(
      Kind kind,
      long count,
      DataType type,
      Reduction op,
      int root,
      int other,
      ReductionOrder order) {
    CallKey(Kind kind, long count, DataType type, Reduction op, int root, int other) {
      this(kind, count, type, op, root, other, ReductionOrder.SAME_PLAN);
    }

    CallKey order(ReductionOrder newOrder) {
      return new CallKey(kind, count, type, op, root, other, newOrder);
    }
  }

  /** An operation with its memory. */
  private record Call(RegisteredMemory from, RegisteredMemory to, PreparedOperation operation) {
    void close() {
      operation.close();
      from.close();
      to.close();
    }

    ByteBuffer sent() {
      return from.segments().get(0).duplicate().clear();
    }

    ByteBuffer received() {
      return to.segments().get(0).duplicate().clear();
    }
  }

  private Group group() {
    return (Group) this;
  }

  @Override
  public Duration timeout() {
    return timeout;
  }

  @Override
  public void timeout(Duration newTimeout) {
    if (newTimeout.isNegative() || newTimeout.isZero()) {
      throw new IllegalArgumentException(
          "OneOff.timeout is "
              + newTimeout
              + ", not more than 0: a call waits for all ranks, so give it seconds");
    }
    timeout = newTimeout;
  }

  @Override
  public ReductionOrder order() {
    synchronized (calls) {
      return order;
    }
  }

  @Override
  public void order(ReductionOrder newOrder) {
    synchronized (calls) {
      order = Objects.requireNonNull(newOrder, "newOrder");
    }
  }

  @Override
  public void barrier() throws CollectiveException {
    synchronized (calls) {
      run(call(new CallKey(Kind.BARRIER, 0, DataType.I8, null, -1, -1), 0, 0));
    }
  }

  @Override
  public void allReduce(ByteBuffer values, DataType type, Reduction op) throws CollectiveException {
    reduceInPlace(values, new CallKey(Kind.ALL_REDUCE, count(values, type), type, op, -1, -1));
  }

  @Override
  public void reduce(ByteBuffer values, DataType type, Reduction op, int root)
      throws CollectiveException {
    reduceInPlace(values, new CallKey(Kind.REDUCE, count(values, type), type, op, root, -1));
  }

  private void reduceInPlace(ByteBuffer values, CallKey key) throws CollectiveException {
    int length = values.remaining();
    synchronized (calls) {
      Call call = call(key, length, 0);
      call.sent().put(values.duplicate());
      run(call);
      if (key.kind() == Kind.ALL_REDUCE || key.root() == group().rank()) {
        values.duplicate().put(call.sent().limit(length));
      }
    }
  }

  @Override
  public void broadcast(ByteBuffer values, int root) throws CollectiveException {
    move(values, new CallKey(Kind.BROADCAST, values.remaining(), DataType.I8, null, root, -1));
  }

  @Override
  public void sendReceive(ByteBuffer values, int source, int destination)
      throws CollectiveException {
    move(
        values,
        new CallKey(Kind.SEND_RECEIVE, values.remaining(), DataType.I8, null, source, destination));
  }

  /** From the root to all others, or to the other one. */
  private void move(ByteBuffer values, CallKey key) throws CollectiveException {
    int length = values.remaining();
    int rank = group().rank();
    synchronized (calls) {
      Call call = call(key, length, 0);
      if (rank == key.root()) {
        call.sent().put(values.duplicate());
      }
      run(call);
      if (rank != key.root() && (key.kind() == Kind.BROADCAST || rank == key.other())) {
        values.duplicate().put(call.sent().limit(length));
      }
    }
  }

  @Override
  public void allGather(ByteBuffer mine, ByteBuffer all) throws CollectiveException {
    int length = mine.remaining();
    requireLength("what is gathered", all, (long) length * size());
    exchange(mine, all, new CallKey(Kind.ALL_GATHER, length, DataType.I8, null, -1, -1));
  }

  @Override
  public void reduceScatter(ByteBuffer all, ByteBuffer mine, DataType type, Reduction op)
      throws CollectiveException {
    requireLength("what is reduced", all, (long) mine.remaining() * size());
    exchange(all, mine, new CallKey(Kind.REDUCE_SCATTER, count(mine, type), type, op, -1, -1));
  }

  @Override
  public void allToAll(ByteBuffer from, ByteBuffer to) throws CollectiveException {
    int length = from.remaining();
    requireLength("what is received", to, length);
    if (length % size() != 0) {
      throw new IllegalArgumentException(
          length + " bytes in " + size() + " blocks: the number of ranks must divide them");
    }
    exchange(from, to, new CallKey(Kind.ALL_TO_ALL, length / size(), DataType.I8, null, -1, -1));
  }

  private void exchange(ByteBuffer from, ByteBuffer to, CallKey key) throws CollectiveException {
    int length = to.remaining();
    synchronized (calls) {
      Call call = call(key, from.remaining(), length);
      call.sent().put(from.duplicate());
      run(call);
      to.duplicate().put(call.received().limit(length));
    }
  }

  @Override
  public void allReduce(
      RegisteredMemory memory, long offsetBytes, long count, DataType type, Reduction op)
      throws CollectiveException {
    if (count >= 0 && count <= MAX_COPIED_BYTES / type.bytes() && memory.segments().size() == 1) {
      ByteBuffer all = memory.segments().get(0).duplicate().clear();
      allReduce(all.slice(Math.toIntExact(offsetBytes), (int) (count * type.bytes())), type, op);
      return;
    }
    Group group = group();
    try (PreparedOperation operation =
        (PreparedOperation) group.allReduce(memory, offsetBytes, count, type, op, options())) {
      run(operation, IF_INTERRUPTED_UNCACHED);
    }
  }

  private static int count(ByteBuffer values, DataType type) {
    if (values.remaining() % type.bytes() != 0) {
      throw new IllegalArgumentException(
          values.remaining() + " bytes are no whole number of " + type);
    }
    return values.remaining() / type.bytes();
  }

  private static void requireLength(String what, ByteBuffer buffer, long lengthBytes) {
    if (buffer.remaining() != lengthBytes) {
      throw new IllegalArgumentException(
          what + " has " + buffer.remaining() + " bytes; it must have " + lengthBytes);
    }
  }

  private void run(Call call) throws CollectiveException {
    run(call.operation(), IF_INTERRUPTED);
  }

  /** The deadline of the run ends the wait. */
  private void run(PreparedOperation operation, String ifInterrupted) throws CollectiveException {
    operation.start(WaitTimes.nanos(timeout));
    operation.await(Long.MAX_VALUE, ifInterrupted);
  }

  private CollectiveOptions options() {
    return CollectiveOptions.DEFAULT.order(order()).prepareTimeout(timeout());
  }

  private Call call(CallKey asked, long sentBytes, long receivedBytes) throws CollectiveException {
    CallKey key = asked.op() == null ? asked : asked.order(order);
    Call known = cached.get(key);
    if (known != null) {
      // Its memory is that of the run, too.
      known.operation().awaitFormerRun(WaitTimes.boundedNanos(timeout));
      return known;
    }
    if (cached.size() == MAX_CACHED) {
      CallKey oldest = cached.keySet().iterator().next();
      cached.get(oldest).operation().awaitFormerRun(WaitTimes.boundedNanos(timeout));
      cached.remove(oldest).close();
    }
    RegisteredMemory from = group().allocate(Math.max(1, sentBytes));
    RegisteredMemory to = from;
    try {
      to = receivedBytes == 0 ? from : group().allocate(receivedBytes);
      Call call = new Call(from, to, (PreparedOperation) prepare(key, from, to));
      cached.put(key, call);
      return call;
    } catch (CollectiveException | RuntimeException e) {
      from.close();
      to.close();
      throw e;
    }
  }

  private Collective prepare(CallKey key, RegisteredMemory from, RegisteredMemory to)
      throws CollectiveException {
    CollectiveOptions options = options();
    long count = key.count();
    DataType type = key.type();
    Group group = group();
    return switch (key.kind()) {
      case BARRIER -> group.barrier(options);
      case ALL_REDUCE -> group.allReduce(from, 0, to, 0, count, type, key.op(), options);
      case REDUCE -> group.reduce(from, 0, to, 0, count, type, key.op(), key.root(), options);
      case BROADCAST -> group.broadcast(from, 0, count, type, key.root(), options);
      case SEND_RECEIVE ->
          group.sendReceive(from, 0, count, type, key.root(), key.other(), options);
      case ALL_GATHER -> group.allGather(from, 0, to, 0, count, type, options);
      case REDUCE_SCATTER -> group.reduceScatter(from, 0, to, 0, count, type, key.op(), options);
      case ALL_TO_ALL -> group.allToAll(from, 0, to, 0, count, type, options);
    };
  }

  /** Closes what is kept, after a call that is under way; so close its member first. */
  void closeCached() {
    synchronized (calls) {
      cached.values().forEach(Call::close);
      cached.clear();
    }
  }
}
