// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Both directions to and from one peer: a sending and a receiving channel over one queue pair, with
 * one state and one failure. The rules of {@link SendChannel} and {@link ReceiveChannel} apply; the
 * two directions share the {@link #maxRequests()} requests. Both ends are equal once the connection
 * is there, whichever of them opened it.
 *
 * <p>A connection fails as a whole, at both ends: the peer's failure names the reason that the end
 * which failed first had, where that could still be sent.
 *
 * <p>The ends of requests come from one of two places. On a connection that is at a {@link Poller}
 * they come from {@link Poller#poll}, with the {@code userData} of the request; {@link #test},
 * {@link #await}, {@link #detach} and the blocking forms then throw IllegalStateException. On any
 * other connection they come from {@link #test} and {@link #await}, and {@code userData} has no
 * effect.
 *
 * <p>Threads: as for {@link Channel}. One thread may send while another receives, with the blocking
 * forms too, and any number may do either.
 */
public interface Connection extends SendChannel, ReceiveChannel {
  /** Nanoseconds; no deadline, not even that of {@link ConnectOptions#deadline}. */
  long NO_DEADLINE = SendChannel.NO_DEADLINE;

  /** Notices of one direction that the peer's program has not polled; a put beyond waits. */
  int MAX_NOTICES = 64;

  /**
   * Messages of the peer that have been reported as {@link CompletionKind#UNEXPECTED} and that the
   * program has not polled; those beyond are reported when it has.
   */
  int MAX_UNEXPECTED = 16;

  @Override
  boolean isPolled();

  /** What this end calls it: its {@link ConnectOptions#name(String)}, empty if it gave none. */
  String name();

  /** The node at the other end, as its handshake named it. Never changes. */
  Peer peer();

  /**
   * The peer's first bytes, which came with its handshake: a copy of its {@link
   * ConnectOptions#hello(byte[])}, empty if it gave none.
   */
  byte[] hello();

  /**
   * As {@link SendChannel#isend(RegisteredMemory, long, long, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long isend(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData);

  /**
   * As {@link SendChannel#isend(ByteBuffer, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long isend(ByteBuffer buffer, int tag, long timeoutNs, long userData);

  /**
   * As {@link SendChannel#isend(GatherList, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long isend(GatherList list, int tag, long timeoutNs, long userData);

  /**
   * As {@link ReceiveChannel#irecv(RegisteredMemory, long, long, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long irecv(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData);

  /**
   * As {@link ReceiveChannel#irecv(ByteBuffer, int, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long irecv(ByteBuffer buffer, int tag, long timeoutNs, long userData);

  /**
   * Posts a receive that several messages fill, and advertises it to the peer. Never blocks,
   * allocates nothing once the connection has had as many of them at a time. Its memory belongs to
   * the request until that ends: once it is full, as {@link MultiReceive} says, with the sum of its
   * messages' lengths, or without being full if it is withdrawn or a message is too long.
   *
   * <p>A {@link Poller} reports each message as {@link CompletionKind#MESSAGE}, in the order in
   * which they were sent. Without a poller {@link #receivedSoFar} counts them and says their
   * lengths, which {@link MultiReceive#next} makes offsets of. Either way the bytes of a message
   * may be read from then on, until the request has ended and its memory is used again.
   *
   * <p>It counts as {@link MultiReceive#messages} receives where those of groups are limited, see
   * {@link #BUSY}. To the peer's sends it is one receive with its tag after the other. A message
   * that is reported as {@link CompletionKind#UNEXPECTED} may be one for which a multi-receive is
   * on its way: post no others with its tag on report.
   *
   * @param timeoutNs nanoseconds from now until the request is taken back, as by {@link #withdraw},
   *     and fails with TIMED_OUT, however many messages have come; or {@link #NO_DEADLINE}
   * @param userData what {@link Completions#userData} says of its messages and of its end
   * @return as {@link #irecv(RegisteredMemory, long, long, int, long, long)}
   * @throws IllegalArgumentException for memory of another transport, a range outside of it, or
   *     more messages than 8 x {@link #maxRequests()}
   * @throws IllegalStateException if the memory is closed, and the connection is not
   */
  long irecv(MultiReceive receive, long timeoutNs, long userData);

  /**
   * Takes a posted receive back. Never blocks: the request ends later, as every request does. It
   * fails with WITHDRAWN once the peer has answered that it will send nothing there, or ends with
   * its message if that is on its way already. Of a group the messages that have come are lost for
   * the caller unless it has read them ({@link #receivedSoFar}): the group ends as one request.
   * Messages of a {@link MultiReceive} are reported before its end, all that were sent to it. If
   * the peer does not answer within MESH_TIMEOUT_MS, the connection fails.
   *
   * <p>Does nothing to a request that has ended and whose end was not reported yet, or whose
   * withdrawal has begun.
   *
   * @param request a receive
   * @throws IllegalArgumentException if there is no such request, as once its end was reported, or
   *     if it is not a receive
   */
  void withdraw(long request);

  /**
   * {@inheritDoc}
   *
   * <p>On a connection the receive alone is taken back, as by {@link #withdraw}, and ends with
   * TIMED_OUT, or with its message if that was on its way already.
   */
  @Override
  long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /**
   * As {@link SendChannel#iput(TransferList, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long iput(TransferList list, long timeoutNs, long userData);

  /**
   * As {@link #iput(TransferList, long, long)}, and the peer gets a notice once every byte of the
   * list is in its memory: its poller reports {@link CompletionKind#NOTICE}, or its {@link
   * #pollNotices} does. Notices arrive in the order of the calls, behind the puts and messages that
   * were begun before them. The request ends when the peer's device has the bytes and the notice.
   *
   * <p>The peer keeps {@value #MAX_NOTICES} notices that its program has not polled. A put beyond
   * waits in this process until the program there has polled, and so do the puts, gets and matched
   * messages behind it. If its deadline passes meanwhile, it fails with TIMED_OUT, nothing of it
   * was written, and the connection goes on.
   *
   * @param notice any number; what {@link Completions#notice} says at the peer
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long iput(TransferList list, int notice, long timeoutNs, long userData);

  /**
   * Reports the peer's notices, and its messages that wait for a receive ({@link
   * ConnectOptions#reportUnexpected}), on a connection that is at no poller, oldest first, each
   * once. Never blocks, allocates nothing. Wait with {@link #awaitProgress} between two calls, or
   * use {@link #awaitNotices}. Notices that came before the connection failed or was closed can
   * still be polled.
   *
   * @param into filled from entry 0 on; what it had before is removed
   * @return how many entries there are, each a {@link CompletionKind#NOTICE} or {@link
   *     CompletionKind#UNEXPECTED}
   * @throws IllegalStateException if the connection is at a poller, which reports them
   */
  int pollNotices(Completions into);

  /**
   * As {@link #pollNotices}, waiting until there is one.
   *
   * @param timeout max wait; 0 or less polls once
   * @return how many entries there are; 0 if the time passed, if the connection has failed or is
   *     closed, or if the thread was interrupted (its interrupt status stays set)
   */
  default int awaitNotices(Completions into, Duration timeout) {
    long beginNs = System.nanoTime();
    long timeoutNs = WaitTimes.nanos(timeout);
    while (true) {
      long seen = progressCount();
      int count = pollNotices(into);
      long leftNs = timeoutNs - (System.nanoTime() - beginNs);
      if (count > 0
          || leftNs <= 0
          || state() != ChannelState.READY
          || Thread.currentThread().isInterrupted()) {
        return count;
      }
      awaitProgress(seen, Duration.ofNanos(leftNs));
    }
  }

  /**
   * As {@link SendChannel#iget(TransferList, long)}.
   *
   * @param userData what {@link Completions#userData} says of the request when it has ended
   */
  long iget(TransferList list, long timeoutNs, long userData);
}
