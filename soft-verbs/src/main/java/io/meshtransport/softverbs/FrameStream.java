// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/**
 * Carries the frames of one queue pair to its peer and back: in order, each once, or not at all any
 * more. Made by a {@link Network}; belongs to the queue pair until {@link #finish} or {@link
 * #abandon}, then to the network, which ends it. Called with the device's lock held.
 */
interface FrameStream {
  /** What {@link #look} answers where nothing is known. */
  long NO_SIGN_OF_LIFE = Long.MAX_VALUE;

  /** The wire of a queue pair that has no peer yet. */
  FrameStream NONE =
      new FrameStream() {
        @Override
        public void flush() {}

        @Override
        public void flushSoon() {}

        @Override
        public void readNow(int round) {}

        @Override
        public long look(long nowNs) {
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

  /** Takes frames from the user and passes them on, until there are none or the wire is full. */
  void flush();

  /**
   * As {@link #flush}, but it may be put off until the caller, who is polling, polls again and
   * finds nothing: what is posted until then leaves together.
   */
  void flushSoon();

  /**
   * Takes in what has arrived, for a caller that polls while another thread has the driver's seat.
   *
   * @param round of reading: what several wires share is read once in it
   */
  void readNow(int round);

  /**
   * Finds out how the peer's host, as against its program, is, and makes it say something if it has
   * nothing to. Called when a timer is due.
   *
   * @param nowNs as {@link Network#onTimer} will be told
   * @return how long ago it showed life, in nanoseconds
   */
  long look(long nowNs);

  /**
   * Whether silence is death, now that it has outlasted its bound.
   *
   * @param nowNs as {@link #look} was told
   * @param silentNs how long the peer's host has been silent
   * @param boundNs how long it may be
   * @return what says so, a {@link PeerLoss}'s vendor error; 0 if nothing does
   */
  int peerLoss(long nowNs, long silentNs, long boundNs);

  /** How far it has come towards the peer, for people. */
  default String text() {
    return "";
  }

  /** Passes on what the user still has to say, then ends; the user hears no more. */
  void finish();

  /**
   * Ends, with only the frames under way finished; the user is neither asked nor told any more, and
   * its memory is left alone.
   *
   * @param isReset whether the peer is told that the queue pair was reset
   */
  void abandon(boolean isReset);

  /**
   * The peer was reset, and comes back under the same name: waits for it.
   *
   * @return the wire that takes this one's place, which may be this one
   */
  FrameStream startOver();
}
