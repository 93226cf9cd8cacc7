// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/**
 * Carries the frames of one queue pair to its peer and back: in order, each once, or not at all any
 * more. Made by a {@link Network}; owned by the queue pair until {@link #finish} or {@link
 * #abandon}, then by the network, which ends it. Called with the device's lock held.
 */
public interface FrameStream {
  /** The result of {@link #probe} where nothing is known. */
  long NO_SIGN_OF_LIFE = Long.MAX_VALUE;

  /** The stream of a queue pair that has no peer yet. */
  FrameStream NONE =
      new FrameStream() {
        @Override
        public void flush() {}

        @Override
        public void flushSoon(int lengthBytes) {}

        @Override
        public void setAnswerDue(boolean isDue) {}

        @Override
        public boolean areAnswersDue() {
          return false;
        }

        @Override
        public void readNow(int round) {}

        @Override
        public long probe(long nowNs) {
          return NO_SIGN_OF_LIFE;
        }

        @Override
        public int peerLoss(long nowNs, long silentNs, long boundNs) {
          return 0;
        }

        @Override
        public void finish() {}

        @Override
        public void abandon(boolean isReset) {}

        @Override
        public FrameStream startOver() {
          return this;
        }
      };

  /** Sends the listener's frames, until there are none or the stream is full. */
  void flush();

  /**
   * As {@link #flush}, but it may be deferred until the caller, which is polling, polls again and
   * finds nothing: what is posted until then leaves together, if it is not much.
   *
   * @param lengthBytes of the request that was posted
   */
  void flushSoon(int lengthBytes);

  /**
   * Says whether the peer owes an answer to what this stream has sent; called when that changes.
   */
  void setAnswerDue(boolean isDue);

  /**
   * Whether the peer owes an answer to this stream, or to another that leaves by the same way: what
   * is posted now is one of many messages.
   */
  boolean areAnswersDue();

  /**
   * Reads what has arrived, for a caller that polls while another thread has the driver lock.
   *
   * @param round of reading: a connection that several streams share is read once in it
   */
  void readNow(int round);

  /**
   * Checks whether the peer's host, as opposed to its program, is alive, and makes it answer if it
   * has nothing to send. Called when a timer is due.
   *
   * @param nowNs the reading that {@link Network#onTimer} will be called with
   * @return how long ago it showed life, in nanoseconds
   */
  long probe(long nowNs);

  /**
   * Decides whether the peer is gone, now that its silence has outlasted its bound.
   *
   * @param nowNs the reading that {@link #probe} was called with
   * @param silentNs how long the peer's host has been silent
   * @param boundNs how long it may be
   * @return the vendor error of a {@link PeerLoss}; 0 if the peer may be alive
   */
  int peerLoss(long nowNs, long silentNs, long boundNs);

  /** The state of its connection, for people. */
  default String text() {
    return "";
  }

  /** From now on its CLOSE says that this is an orderly shutdown. */
  default void announceShutdown() {
    // There is no CLOSE.
  }

  /** Sends the frames that the listener still has, then ends; nothing more reaches the listener. */
  void finish();

  /**
   * Ends, with only the frames under way finished: from now on the listener is not called, and its
   * memory is not touched.
   *
   * @param isReset whether the CLOSE says that the queue pair was reset
   */
  void abandon(boolean isReset);

  /**
   * The peer was reset, and comes back under the same name: waits for it.
   *
   * @return the stream that takes this one's place, which may be this one
   */
  FrameStream startOver();
}
