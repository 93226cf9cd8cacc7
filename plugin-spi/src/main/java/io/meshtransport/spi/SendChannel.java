// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.time.Duration;

/** The sending end of a channel. Rules of {@link Channel}. */
public interface SendChannel extends Channel {
  /**
   * Begins to send a message. It leaves when the peer has posted a receive with the same tag,
   * straight from this memory. Never blocks, allocates nothing. Done means that the peer has every
   * byte.
   *
   * <p>If the peer has posted that receive already, and its announcement has come, the message
   * leaves with this call. Otherwise it waits here, in this process, until this very channel is
   * tested: {@link #sendsNeedingProgress} is above 0 then, and some thread must call {@link #test},
   * {@link #await} or {@link #awaitMove} on it. A program that waits for something else meanwhile,
   * a message on another channel for example, holds up its peer, which may in turn hold it up.
   * After MESH_TIMEOUT_MS without a test the transport looks itself, every half second or so, and
   * logs a warning.
   *
   * @param memory registered with this channel's transport
   * @param offsetBytes where the message begins in it
   * @param lengthBytes 0 to {@link Transport#MAX_MESSAGE_BYTES}; more than the peer's receive holds
   *     fails on both sides with MESSAGE_TOO_LONG, and the channel lives on
   * @param tag must equal the receive's
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed
   * @throws IllegalArgumentException memory of another transport, or out of its bounds
   * @throws IllegalStateException memory or channel closed
   */
  default long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return isend(memory, offsetBytes, lengthBytes, tag, NO_DEADLINE);
  }

  /**
   * As {@link #isend(RegisteredMemory, long, long, int)} with a deadline.
   *
   * @param timeoutNs nanoseconds from now until the request fails with TIMED_OUT, or {@link
   *     #NO_DEADLINE}. A message for which the peer has posted no receive by then is withdrawn, and
   *     its failure names the tags that are posted; one that has its room takes the channel with
   *     it, for a device may still read its memory. The peer is told why first, which may add 100
   *     ms, and fails with PEER_CLOSED. 0 or less is over at the next look.
   */
  long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /**
   * Begins to send the bytes between a buffer's position and limit, neither of which moves. For
   * whoever has no say in where his messages lie; registered memory is cheaper. Heap and direct
   * buffers of up to MESH_BOUNCE_BYTES are copied during this call, and are the caller's again when
   * it returns. A longer one must be direct and writable, stays the request's until that is over,
   * and is sent from where it is: the first time its memory is registered, which takes as long as
   * {@link Transport#register} does, and then stays so in a cache (MESH_CACHE_MIB,
   * MESH_CACHE_ENTRIES), whatever slice or duplicate of it is sent. Memory in the cache must not go
   * away by other means than the garbage collector, unless {@link Transport#deregister} was told
   * before. Otherwise as {@link #isend(RegisteredMemory, long, long, int, long)}; a copy allocates
   * nothing once warm.
   *
   * @return a request; {@link #BUSY} also if all bounce buffers of the transport are in use; {@link
   *     #FAILED} also if memory cannot be registered, and then {@link #failure} says NO_RESOURCES
   *     and the channel goes on
   * @throws IllegalArgumentException a heap or read-only buffer of more than MESH_BOUNCE_BYTES
   */
  long isend(ByteBuffer buffer, int tag, long timeoutNs);

  /** As {@link #isend(ByteBuffer, int, long)}, without a deadline. */
  default long isend(ByteBuffer buffer, int tag) {
    return isend(buffer, tag, NO_DEADLINE);
  }

  /**
   * Sends the bytes between a buffer's position and limit, and waits until the peer has them.
   *
   * @throws TransportException why it failed; TIMED_OUT when the time passed
   */
  default void send(ByteBuffer buffer, int tag, Duration timeout) throws TransportException {
    Blocking.finish(this, () -> isend(buffer, tag, Blocking.nanos(timeout)), timeout);
  }

  /** The request waits as long as the peer is alive: a dead one fails it whatever its deadline. */
  long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * How many outstanding sends still need somebody to move them along, because the peer has posted
   * no receive for them or because more is under way than the device takes at once. 0 means that
   * whatever is outstanding is under way: the peer gets it, and nobody need test anything for that.
   * So a thread that has sent may walk away at 0, and above 0 somebody must call {@link #test},
   * {@link #await} or {@link #awaitMove}.
   */
  int sendsNeedingProgress();

  /**
   * How long sends, puts and gets of this channel took so far. The first one ended well takes some
   * 4 KB for it, until the channel is closed and forgotten; a channel that has sent nothing takes
   * none. {@link Transport#statistics} has the same of all channels to a peer together, and more
   * finely. Any thread, also while the channel is used, which this does not slow; and after it is
   * closed.
   */
  Latencies latencies();

  /**
   * Chooses when the peer says that it has a message (selective signalling). Eagerly, which a
   * channel begins with, it says so for each: right for whoever waits for it. Selectively it does
   * for one in sixteen, which speaks for those before it, and when a send is tested, awaited or
   * forgotten that is not over: a message then costs no answer, right for whoever has many under
   * way and looks at them seldom. What is sent arrives as soon either way.
   *
   * @param selectively for the sends that leave from now on, but for those with a deadline, which
   *     are always told of
   */
  void signalSelectively(boolean selectively);

  /**
   * Chooses when a short message leaves while others are under way. Where sending costs a system
   * call it may wait for the next ones, a fraction of a millisecond at most, as long as somebody
   * polls: right for whoever streams, and comes back to look. Promptly, it leaves with the call
   * that sends it: right for threads that send and walk away. A message that nothing else is under
   * way with leaves at once either way; a device that needs no system call makes no difference.
   *
   * @param promptly for the sends that leave from now on; a channel begins without
   */
  default void sendPromptly(boolean promptly) {
    // Whoever puts nothing off has nothing to change.
  }

  /**
   * Begins to write to the peer's memory (one-sided): the peer's threads take no part in it and are
   * told nothing. Never blocks, allocates nothing once warm. Done means that the peer's device has
   * taken every byte over and that the local memory is the caller's again.
   *
   * <p>The peer's program may rely on these bytes once a message that was sent on this channel
   * after this call has arrived there, and that is how to tell it. A get of the same memory on this
   * channel reads them, too. A peer that is told by other means (a socket, another channel, a third
   * node) may look before an adapter has brought its last bytes to memory: InfiniBand promises them
   * with the completion of a later request on the same queue pair, not with the acknowledgement. In
   * software done means that they are in memory. Puts and gets themselves are carried out in the
   * order of their calls, but for what {@link #iget(TransferList, long)} says.
   *
   * @param memory local, registered with this channel's transport; its content must stay as it is
   *     until the request is over
   * @param offsetBytes where the bytes begin in it
   * @param lengthBytes 0 to {@link Transport#MAX_MESSAGE_BYTES}
   * @param remote of this channel's peer, registered there with {@link RemoteAccess#PUT}
   * @param remoteOffsetBytes where they go to in it
   * @param timeoutNs nanoseconds from now until the request fails with TIMED_OUT, or {@link
   *     #NO_DEADLINE}. What has not begun to leave by then is withdrawn; otherwise it takes the
   *     channel with it, for a device may still use its memory
   * @return a request, {@link #BUSY}, or {@link #FAILED} if the channel has failed. {@link #test}
   *     gives the bytes written. It fails with REMOTE_ACCESS, and the channel with it at both ends
   *     (that is how RDMA queue pairs are), if the peer has closed the memory: get a new key, and a
   *     new channel. It fails so, and the channel goes on, if the key is of another node than this
   *     channel's peer: a peer that has restarted is another node, and gives a new key
   * @throws IllegalArgumentException memory of another transport, remote memory without that right,
   *     or out of the bounds of either
   * @throws IllegalStateException memory or channel closed
   * @throws UnsupportedOperationException if this channel cannot, {@link #isOneSided()}
   */
  long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs);

  /**
   * As the other, for many pieces as one request: each is cut where it is longer than a device's
   * largest message, all are handed to the device in as few calls as its queue allows, and the
   * device reports the last only.
   *
   * @param list 0 to {@link TransferList#MAX_PIECES} pieces; free for refilling when this returns,
   *     while the memory it names stays the request's
   */
  long iput(TransferList list, long timeoutNs);

  /**
   * Begins to read the peer's memory (one-sided). Rules of {@link #iput(RegisteredMemory, long,
   * long, RemoteMemory, long, long)}; done means that the local memory holds every byte.
   *
   * @param memory local; must not be used until the request is over
   * @param remote of this channel's peer, registered there with {@link RemoteAccess#GET}
   */
  long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs);

  /**
   * As the other, for many pieces as one request. What was put before is read. What is put or sent
   * after this call may overtake it: wait for the end of a get before changing, or letting the peer
   * change, what it reads.
   *
   * @param list as for {@link #iput(TransferList, long)}
   */
  long iget(TransferList list, long timeoutNs);

  /**
   * Whether this channel can put and get. Only channels to C plugins (MESH_COMPAT=nccl-mesh)
   * cannot: their wire has no word for it.
   */
  default boolean isOneSided() {
    return true;
  }

  /**
   * Writes to the peer's memory and waits until the peer's device has it all; {@link
   * #iput(RegisteredMemory, long, long, RemoteMemory, long, long)} says when the peer's program may
   * look.
   *
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
                Blocking.nanos(timeout)),
        timeout);
  }

  /**
   * Reads the peer's memory and waits until all of it is here.
   *
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
                Blocking.nanos(timeout)),
        timeout);
  }

  /**
   * Sends and waits until the peer has it.
   *
   * @throws TransportException why it failed; TIMED_OUT when the time passed
   */
  default void send(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, Duration timeout)
      throws TransportException {
    Blocking.finish(
        this, () -> isend(memory, offsetBytes, lengthBytes, tag, Blocking.nanos(timeout)), timeout);
  }
}
