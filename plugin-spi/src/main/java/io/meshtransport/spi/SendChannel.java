// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.time.WaitTimes;
import java.nio.ByteBuffer;
import java.time.Duration;

/** The sending end of a channel, which can also put and get. The rules of {@link Channel} apply. */
public interface SendChannel extends Channel {
  /** No deadline: the request waits as long as the peer is alive, and fails when it is not. */
  long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * Begins to send a message. It leaves straight from this memory, once the peer has posted a
   * receive with the same tag. Never blocks, allocates nothing. The request is complete when the
   * peer has every byte.
   *
   * <p>If the peer's receive is advertised already, the message leaves with this call. Otherwise it
   * waits in this process until this channel is polled again: {@link #sendsNeedingProgress} is
   * above 0 then. A thread that calls {@link #test}, {@link #await} or {@link #awaitProgress} on
   * this channel sends it at once; where none does, the transport's own thread sends it some
   * milliseconds later, unless the program has turned that off (MESH_PROGRESS_THREAD=0).
   *
   * @param memory registered with this channel's transport; belongs to the request until it is
   *     complete
   * @param offsetBytes where the message begins in it
   * @param lengthBytes 0 to {@link Transport#MAX_MESSAGE_BYTES}; more than the capacity of the
   *     peer's receive fails on both sides with MESSAGE_TOO_LONG, and the channel goes on
   * @param tag must equal the receive's
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed or is closed, by
   *     whichever thread
   * @throws IllegalArgumentException for memory of another transport, or a range outside of it
   * @throws IllegalStateException if the memory is closed, and the channel is not
   */
  default long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return isend(memory, offsetBytes, lengthBytes, tag, NO_DEADLINE);
  }

  /**
   * As {@link #isend(RegisteredMemory, long, long, int)}, with a deadline.
   *
   * @param timeoutNs nanoseconds from now until the request fails with TIMED_OUT, or {@link
   *     #NO_DEADLINE}. If the peer has posted no receive for the message by then, the message is
   *     withdrawn, the failure's text names the tags that are posted, and the channel goes on.
   *     Otherwise the channel fails with it, because a device may still read the memory; the peer
   *     is notified first, which may take another 100 ms, and fails with PEER_CLOSED, or over
   *     adapters with PEER_GONE where that did not come in time behind the message. With 0 or less
   *     the request fails at the next test
   */
  long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /**
   * Begins to send the bytes between a buffer's position and limit; neither is moved. For programs
   * that cannot choose where their messages are; registered memory is cheaper.
   *
   * <p>A heap or direct buffer of up to MESH_BOUNCE_BYTES is copied during this call and is the
   * caller's again when it returns; once warm, that allocates nothing. So is a longer buffer that
   * is on the heap or read-only, into registered memory of its length that the transport keeps for
   * the next such message, up to MESH_POOL_MIB in all: the call takes as long as the copy, during
   * which the channel does nothing else, and the first message of a length, or one longer than is
   * kept, takes a registration besides.
   *
   * <p>A longer buffer that is direct and writable belongs to the request until it is complete, and
   * is sent in place: the first time its memory is registered, which takes as long as {@link
   * Transport#register}, and then stays registered in a cache of MESH_CACHE_MIB, for any slice or
   * duplicate of it. Memory in the cache must not be freed by other means than the garbage
   * collector, unless {@link Transport#deregister} was called before. The rest is as for {@link
   * #isend(RegisteredMemory, long, long, int, long)}.
   *
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed. The request
   *     fails at once with NO_RESOURCES if all bounce buffers of the transport are in use, if those
   *     for long messages have 256 MiB in use (one longer message is always possible), or if there
   *     is no memory or it cannot be registered. A retry helps once requests of unregistered
   *     buffers have ended, on whichever channel of the transport
   */
  long isend(ByteBuffer buffer, int tag, long timeoutNs);

  /** As {@link #isend(ByteBuffer, int, long)}, without a deadline. */
  default long isend(ByteBuffer buffer, int tag) {
    return isend(buffer, tag, NO_DEADLINE);
  }

  /**
   * Begins to send pieces of several memories, or several pieces of one, as one message. The
   * receiver sees no difference. Nothing is copied: each piece is written to the peer's receive by
   * itself, and one short control message more says that all are there; so a message of short
   * pieces may be cheaper in one, copied together. The rest is as for {@link
   * #isend(RegisteredMemory, long, long, int, long)}. Once warm, allocates nothing.
   *
   * @param list 0 to {@link GatherList#MAX_PIECES} pieces; may be refilled when this returns, while
   *     the memory it names belongs to the request
   * @throws UnsupportedOperationException on a channel to a C plugin, whose wire cannot
   */
  default long isend(GatherList list, int tag, long timeoutNs) {
    throw new UnsupportedOperationException("this channel cannot send gather lists");
  }

  /** As {@link #isend(GatherList, int, long)}, without a deadline. */
  default long isend(GatherList list, int tag) {
    return isend(list, tag, NO_DEADLINE);
  }

  /**
   * Sends pieces as one message and waits until the peer has every byte.
   *
   * @param timeout the deadline of the request
   * @throws TransportException as {@link #send(RegisteredMemory, long, long, int, Duration)}
   */
  default void send(GatherList list, int tag, Duration timeout) throws TransportException {
    Blocking.finish(this, () -> isend(list, tag, WaitTimes.nanos(timeout)), timeout);
  }

  /**
   * Sends a message and waits until the peer has every byte.
   *
   * @param timeout the deadline of the request
   * @throws TransportException why it failed; TIMED_OUT when the time passed; CLOSED if this end
   *     closes the channel, before, during or after this call's beginning
   */
  default void send(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, Duration timeout)
      throws TransportException {
    Blocking.finish(
        this,
        () -> isend(memory, offsetBytes, lengthBytes, tag, WaitTimes.nanos(timeout)),
        timeout);
  }

  /**
   * Sends the bytes between a buffer's position and limit, and waits until the peer has them.
   *
   * @param timeout the deadline of the request
   * @throws TransportException why it failed; TIMED_OUT when the time passed
   */
  default void send(ByteBuffer buffer, int tag, Duration timeout) throws TransportException {
    Blocking.finish(this, () -> isend(buffer, tag, WaitTimes.nanos(timeout)), timeout);
  }

  /**
   * How many outstanding sends cannot complete unless a thread makes progress here, because the
   * peer has posted no receive for them or because the device takes no more at once. At 0 all that
   * is outstanding is in flight and reaches the peer without another call: a thread that has sent
   * may go away. Above 0 the transport's own thread sees to the rest some milliseconds later; with
   * MESH_PROGRESS_THREAD=0 some thread must call {@link #test}, {@link #await} or {@link
   * #awaitProgress}.
   */
  int sendsNeedingProgress();

  /**
   * Begins to write to the peer's memory (one-sided, RDMA WRITE): the peer's threads take no part
   * and get no notification. Never blocks; once warm, allocates nothing. The request is complete
   * when the peer's device has taken over every byte; the local memory is then the caller's again.
   *
   * <p>The peer's program may rely on these bytes once a message has arrived there that was sent on
   * this channel after this call; that is the way to notify it. A get of the same memory on this
   * channel reads them, too. A peer that is notified by other means (a socket, another channel, a
   * third node) may look before an adapter has brought the last bytes to memory: InfiniBand
   * promises them with the completion of a later request on the same queue pair, not with the
   * acknowledgement. In software a complete put is in memory. Puts and gets are carried out in the
   * order of their calls, except as {@link #iget(TransferList, long)} says.
   *
   * @param memory local, registered with this channel's transport; its content must not change
   *     until the request is complete
   * @param offsetBytes where the bytes begin in it
   * @param lengthBytes 0 to {@link Transport#MAX_MESSAGE_BYTES}
   * @param remote memory of this channel's peer, registered there with {@link RemoteAccess#PUT}
   * @param remoteOffsetBytes where the bytes go to in it
   * @param timeoutNs nanoseconds from now until the request fails with TIMED_OUT, or {@link
   *     #NO_DEADLINE}. A request of which nothing has left by then is withdrawn; otherwise the
   *     channel fails with it, because a device may still use its memory
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed. {@link #test}
   *     answers with the bytes written. The request fails with REMOTE_ACCESS, and the channel with
   *     it at both ends (as RDMA queue pairs do), if the peer has closed the memory: get a new key
   *     and a new channel. It fails with REMOTE_ACCESS, and the channel goes on, if the key is of
   *     another node than this channel's peer: a peer that has restarted is another node and must
   *     give a new key
   * @throws IllegalArgumentException for local memory of another transport, remote memory without
   *     that right, or a range outside of either
   * @throws IllegalStateException if the memory is closed, and the channel is not
   * @throws UnsupportedOperationException if this channel cannot put and get, {@link #isOneSided()}
   */
  long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs);

  /**
   * As {@link #iput(RegisteredMemory, long, long, RemoteMemory, long, long)}, for many pieces as
   * one request. A piece that is longer than a device's largest message is cut, all are handed to
   * the device in as few calls as its queue allows, and the device reports the last only.
   *
   * @param list 0 to {@link TransferList#MAX_PIECES} pieces; may be refilled when this returns,
   *     while the memory it names belongs to the request
   */
  long iput(TransferList list, long timeoutNs);

  /**
   * Begins to read the peer's memory (one-sided, RDMA READ). The rules of {@link
   * #iput(RegisteredMemory, long, long, RemoteMemory, long, long)} apply; the request is complete
   * when the local memory has every byte.
   *
   * @param memory local; must not be used until the request is complete
   * @param remote memory of this channel's peer, registered there with {@link RemoteAccess#GET}
   */
  long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs);

  /**
   * As {@link #iget(RegisteredMemory, long, long, RemoteMemory, long, long)}, for many pieces as
   * one request. It reads what was put before. A put or send that is begun after this call may
   * overtake it: wait until a get is complete before changing, or letting the peer change, what it
   * reads.
   *
   * @param list as for {@link #iput(TransferList, long)}
   */
  long iget(TransferList list, long timeoutNs);

  /**
   * Whether this channel can put and get. Only channels to C plugins (MESH_COMPAT=nccl-mesh)
   * cannot: their wire has no message for it.
   */
  default boolean isOneSided() {
    return true;
  }

  /**
   * Writes to the peer's memory and waits until the peer's device has every byte; {@link
   * #iput(RegisteredMemory, long, long, RemoteMemory, long, long)} says when the peer's program may
   * look.
   *
   * @param timeout the deadline of the request
   * @throws TransportException why it failed; TIMED_OUT when the time passed
   */
  default void put(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      Duration timeout)
      throws TransportException {
    Blocking.finish(
        this,
        () ->
            iput(
                memory,
                offsetBytes,
                lengthBytes,
                remote,
                remoteOffsetBytes,
                WaitTimes.nanos(timeout)),
        timeout);
  }

  /**
   * Reads the peer's memory and waits until every byte is here.
   *
   * @param timeout the deadline of the request
   * @throws TransportException why it failed; TIMED_OUT when the time passed
   */
  default void get(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      Duration timeout)
      throws TransportException {
    Blocking.finish(
        this,
        () ->
            iget(
                memory,
                offsetBytes,
                lengthBytes,
                remote,
                remoteOffsetBytes,
                WaitTimes.nanos(timeout)),
        timeout);
  }

  /**
   * Chooses what this channel optimizes for, from the next send that leaves on. A new channel is in
   * {@link SendMode#LATENCY}. Changes nothing where a mode makes no difference, as {@link SendMode}
   * says.
   */
  void sendMode(SendMode mode);

  /**
   * How long sends, puts and gets of this channel took so far. The first success allocates some 4
   * KB for it, until the channel is closed and no longer referenced; a channel that has sent
   * nothing has none. {@link Transport#statistics} has the same for all channels to a peer
   * together, with a finer resolution. Any thread, also while the channel is in use, which this
   * does not slow down, and after it is closed.
   */
  Latencies latencies();
}
