package io.meshtransport.spi;

import java.time.Duration;

/** The sending end of a channel. Rules of {@link Channel}. */
public interface SendChannel extends Channel {
  /**
   * Begins to send a message. It leaves when the peer has posted a receive with the same tag,
   * straight from this memory. Never blocks, allocates nothing. Done means that the peer has every
   * byte.
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
   *     #NO_DEADLINE}. A message for which the peer has posted no receive by then is withdrawn; one
   *     that has its room takes the channel with it, for a device may still read its memory. 0 or
   *     less is over at the next look.
   */
  long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs);

  /** The request waits as long as the peer is alive: a dead one fails it whatever its deadline. */
  long NO_DEADLINE = Long.MAX_VALUE;

  /**
   * How many outstanding sends still need somebody to move them along, because the peer has posted
   * no receive for them or because more is under way than the device takes at once. 0 means that
   * whatever is outstanding is under way: the peer gets it, and nobody need test anything for that.
   * So a thread that has sent may walk away at 0, and above 0 somebody must call {@link #test},
   * {@link #await} or {@link #awaitMove}.
   */
  int waiting();

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
