// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;

/**
 * A ring of completions. Queue pairs add them while bytes move; {@link #poll} removes them, and
 * moves bytes first when there are none. Guarded by the device's lock.
 */
final class SoftCompletionQueue implements CompletionQueue {
  /** The event that {@link #requestNotify} has requested and that was not raised yet. */
  private enum Armed {
    NO,
    SOLICITED,
    ANY
  }

  /** Two queue pairs, each of which is listed twice. */
  private static final int MAX_STREAMS_READ = 4;

  /**
   * A caller that arms is about to sleep in the selector, which reads all that has come; then it
   * polls for what it waited for, again and again, and arms once more. Each of these polls would be
   * a system call for nothing.
   */
  private static final int EMPTY_POLLS_SKIPPED = 4;

  private final SoftDevice device;
  private final SoftCompletionChannel channel;
  private final int depth;
  private final List<RcEngine> users = new ArrayList<>();
  private SoftCompletions ring = new SoftCompletions(RingSize.FIRST);
  private WorkQueue<?>[] queues = new WorkQueue<?>[RingSize.FIRST];
  private long[] slots = new long[RingSize.FIRST];
  private Armed armed = Armed.NO;
  private int first;

  /**
   * This and {@link #isDriveDue} are also read without the lock, as a hint that may be one poll
   * old; they are not volatile, since each of their writes would then cost as much as a lock.
   */
  private int count;

  private boolean isOverrun;
  private boolean isClosed;

  /** How many more polls of a caller that has armed would find nothing new. */
  private int pollsToSkip;

  /** Polls since the last that served the whole device. */
  private int ownPolls;

  private boolean isDriveDue = true;

  /**
   * @param channel where it raises events, or null
   */
  SoftCompletionQueue(SoftDevice device, int depth, SoftCompletionChannel channel) {
    this.device = device;
    this.channel = channel;
    this.depth = depth;
  }

  SoftDevice device() {
    return device;
  }

  /** A queue pair reports here; one with a single queue for both halves is listed twice. */
  void addUser(RcEngine user) {
    users.add(user);
  }

  void removeUser(RcEngine user) {
    users.remove(user);
  }

  /** Reports the end of a send. */
  void addSend(
      int queuePair,
      SendQueue queue,
      long slot,
      SendRequest request,
      CompletionStatus status,
      int vendorError) {
    int at = claim(queue, slot);
    if (at >= 0) {
      ring.put(at, request.id, status, request.reportedAs(), vendorError, queuePair);
      count++;
      if (request.awaitsResponse()) {
        ring.lengthBytes(at, (int) request.sges.totalBytes());
      }
      notifyWaiter(status != CompletionStatus.SUCCESS);
    }
  }

  /**
   * Reports the end of a receive.
   *
   * @param last the message's last frame, or null if no message came
   * @param vendorError of a receive that failed
   */
  void addReceive(
      int queuePair,
      ReceiveQueue queue,
      long slot,
      ReceiveRequest request,
      CompletionStatus status,
      FrameHeader last,
      int vendorError) {
    int at = claim(queue, slot);
    if (at >= 0) {
      boolean isWrite = last != null && last.type == FrameType.WRITE;
      ring.put(
          at,
          request.id,
          status,
          isWrite ? CompletionOpcode.RECEIVE_RDMA_WITH_IMM : CompletionOpcode.RECEIVE,
          vendorError,
          queuePair);
      count++;
      if (last != null && last.has(FrameHeader.FLAG_IMMEDIATE)) {
        ring.received(at, last.messageBytes, last.immediate);
      } else if (last != null) {
        ring.lengthBytes(at, last.messageBytes);
      }
      notifyWaiter(
          status != CompletionStatus.SUCCESS
              || last != null && last.has(FrameHeader.FLAG_SOLICITED));
    }
  }

  /** The index for one more, or -1: the queue is then broken for good. */
  private int claim(WorkQueue<?> queue, long slot) {
    if (count == depth) {
      overrun();
      return -1;
    }
    if (count == slots.length) {
      grow();
    }
    int at = first + count & slots.length - 1;
    queues[at] = queue;
    slots[at] = slot;
    return at;
  }

  private void grow() {
    int size = slots.length;
    int larger = RingSize.after(size, depth);
    SoftCompletions largerRing = new SoftCompletions(larger);
    WorkQueue<?>[] moreQueues = new WorkQueue<?>[larger];
    long[] moreSlots = new long[larger];
    for (int i = 0; i < size; i++) {
      int from = first + i & size - 1;
      largerRing.copy(i, ring, from);
      moreQueues[i] = queues[from];
      moreSlots[i] = slots[from];
    }
    ring = largerRing;
    queues = moreQueues;
    slots = moreSlots;
    first = 0;
  }

  private void overrun() {
    if (!isOverrun) {
      isOverrun = true;
      device.events().raise(AsyncEvent.Type.CQ_ERR, 0);
      notifyWaiter(true);
      device.queuePairs().onBroken(this);
    }
  }

  private void notifyWaiter(boolean isSolicited) {
    if (armed == Armed.ANY || armed == Armed.SOLICITED && isSolicited) {
      armed = Armed.NO;
      channel.raise();
    }
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public WorkCompletions newCompletions(int capacity) {
    return new SoftCompletions(capacity);
  }

  @Override
  public int poll(WorkCompletions batch) {
    boolean isDriven = count == 0 && isDriveDue && drive();
    device.lock().lock();
    try {
      if (count == 0 && !isDriven && pollsToSkip == 0) {
        readStreams();
      }
      if (count == 0) {
        device.network().flushDeferred();
      }
      planDrive(isDriven);
      return isClosed ? -Errno.EBADF : isOverrun ? -Errno.ENOMEM : drain((SoftCompletions) batch);
    } finally {
      device.lock().unlock();
    }
  }

  private boolean drive() {
    device.network().polled();
    return device.progress().drive();
  }

  private void planDrive(boolean isDriven) {
    pollsToSkip -= count == 0 && pollsToSkip > 0 ? 1 : 0;
    ownPolls = isDriven ? 1 : ownPolls + 1;
    isDriveDue =
        pollsToSkip == 0
            && (users.size() > MAX_STREAMS_READ
                || ownPolls >= device.network().pollsPerDrive()
                || device.network().isLongUndriven());
  }

  /**
   * A caller that spins reads its own streams itself: that costs less than to select on all of the
   * device's, and the thread that has the driver lock may not run for milliseconds on a busy host.
   * With many streams it would cost more than it saves.
   */
  private void readStreams() {
    device.network().polled();
    int round = device.nextReadRound();
    for (int i = 0; i < Math.min(users.size(), MAX_STREAMS_READ); i++) {
      users.get(i).readNow(round);
    }
  }

  private int drain(SoftCompletions batch) {
    int polled = Math.min(count, batch.capacity());
    for (int i = 0; i < polled; i++) {
      batch.copy(i, ring, first);
      queues[first].release(slots[first]);
      queues[first] = null;
      first = first + 1 & slots.length - 1;
    }
    count -= polled;
    // The next is put where the processor's cache has a line of the ring.
    first = count == 0 ? 0 : first;
    return polled;
  }

  @Override
  public int requestNotify(boolean solicitedOnly) {
    if (channel == null) {
      return Errno.EINVAL;
    }
    device.lock().lock();
    try {
      // A weaker request does not replace a stronger one.
      armed = solicitedOnly && armed != Armed.ANY ? Armed.SOLICITED : Armed.ANY;
      pollsToSkip = EMPTY_POLLS_SKIPPED;
      isDriveDue = false;
      return isClosed ? Errno.EBADF : 0;
    } finally {
      device.lock().unlock();
    }
  }

  @Override
  public void close() throws VerbsException {
    device.lockedThrowing(this::closeOnce);
  }

  private void closeOnce() throws VerbsException {
    if (isClosed) {
      return;
    }
    SoftDevice.refuseWhileUsed("completion queue", users.size(), "queue pairs");
    isClosed = true;
    if (channel != null) {
      channel.removeUser();
    }
    device.childClosed();
  }
}
