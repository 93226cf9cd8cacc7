// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * One connection of a session with the receives that are posted on it. Confined to the session's
 * thread, but for {@link #canSend} and {@link #isend}, which its peer's lock guards.
 */
final class Link {
  private static final long RECEIVE = 1L << 31;
  private static final long SLOT = RECEIVE - 1;

  /** What connections begin with: most threads that send do not come back to poll. */
  static final SendMode FIRST_MODE = SendMode.FIRE_AND_FORGET;

  final Connection connection;
  final boolean isDialed;
  final Reassembly reassembly;

  private final BooleanSupplier isPolling;
  private final int index;
  private final int maxSends;
  private final ReceiveRing receives;

  /** What the connection's sends optimize for now. With the peer's lock. */
  private SendMode mode = FIRST_MODE;

  /** Set when the peer is known. */
  PeerSession peer;

  /** Whether messages may go both ways; changed with the peer's lock. */
  volatile boolean isWelcome;

  /** Whether its peer was removed, or is detached from it: what still arrives is dropped. */
  volatile boolean isLeft;

  /** Why this end has closed it; null if it did not. */
  TransportException refusal;

  /** Sends in flight. */
  private final AtomicInteger sends = new AtomicInteger();

  /**
   * Posts all receives.
   *
   * @param isPolling whether the current thread is the one that polls, and comes back to it
   * @param index the session's number of it
   * @param connection at the session's poller; stays the caller's if this fails
   */
  Link(
      BooleanSupplier isPolling,
      int index,
      Connection connection,
      boolean isDialed,
      Transport transport,
      SessionOptions options)
      throws TransportException {
    this.isPolling = isPolling;
    this.index = index;
    this.connection = connection;
    this.isDialed = isDialed;
    receives = new ReceiveRing(connection, transport, options.receives(), options.slotBytes());
    maxSends = Transport.MAX_REQUESTS - receives.requests();
    reassembly = new Reassembly(options.maxMessageBytes());
    for (int i = 0; i < receives.requests(); i++) {
      post(i);
    }
  }

  static int indexOf(long userData) {
    return (int) (userData >>> Integer.SIZE);
  }

  static boolean isReceive(long userData) {
    return (userData & RECEIVE) != 0;
  }

  static int slotOf(long userData) {
    return (int) (userData & SLOT);
  }

  int index() {
    return index;
  }

  /** Posts a receive; again, when its end has been reported. */
  void post(int receive) {
    receives.post(receive, (long) index << Integer.SIZE | RECEIVE | receive);
  }

  /** A frame that has arrived, as {@link ReceiveRing#frame} says. */
  ByteBuffer frame(long offsetBytes, long lengthBytes) {
    return receives.frame(offsetBytes, lengthBytes);
  }

  /** Whether one more send is possible. With the peer's lock. */
  boolean canSend() {
    return isWelcome && sends.get() < maxSends;
  }

  /**
   * Posts a send. One reference of the slot is the link's if it was posted. With the peer's lock.
   *
   * @param mayWait for the session's thread, whoever sends it
   * @return whether it was posted; a connection that has failed says so at the poller
   */
  boolean isend(SlotPool pool, SendSlot slot, int frameBytes, boolean mayWait) {
    long userData = (long) index << Integer.SIZE | slot.index;
    chooseMode(mayWait);
    // Before: its end may be reported before this call returns.
    sends.incrementAndGet();
    long request =
        connection.isend(
            pool.memory(),
            pool.offsetBytes(slot),
            frameBytes,
            Frame.TAG,
            Connection.NO_DEADLINE,
            userData);
    boolean isPosted = request != Channel.BUSY && request != Channel.FAILED;
    if (!isPosted) {
      sends.decrementAndGet();
    }
    return isPosted;
  }

  /**
   * What the session's thread sends leaves together: it polls again once it has handled what it had
   * polled. So do requests while others wait for their replies, which need a poll of that thread.
   * Messages of other threads leave at once, since the thread may be busy with something else, and
   * so does a request that is alone: on a busy host the thread may not run for milliseconds.
   */
  private void chooseMode(boolean mayWait) {
    SendMode wanted =
        mayWait || isPolling.getAsBoolean() ? SendMode.BATCH : SendMode.FIRE_AND_FORGET;
    if (wanted != mode) {
      mode = wanted;
      connection.sendMode(wanted);
    }
  }

  /** A send has ended. */
  void sendEnded() {
    sends.decrementAndGet();
  }

  /** After the connection is closed: no device uses the memory. */
  void release() {
    receives.release();
  }

  @Override
  public String toString() {
    return connection.peer() + " over " + connection.route();
  }
}
