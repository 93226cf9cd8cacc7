// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/** The queue pair's side of a {@link FrameStream}. Called with the device's lock held. */
interface StreamListener extends FrameSource {
  /** What {@link #nextFrame} would have to say. */
  Pending pending();

  /** How much a {@link StreamListener} has to say. */
  enum Pending {
    NOTHING,

    /** An acknowledgement and no more: it loses nothing by waiting for company. */
    ACK,

    /** What the peer may be waiting for. */
    MORE
  }

  /**
   * A frame has begun to arrive.
   *
   * @param target takes views for exactly its payload, or stays empty: the payload is then skipped
   */
  void beginFrame(FrameHeader header, PayloadViews target);

  /** The frame that is arriving will not be where {@link #beginFrame} wanted it. */
  void memoryLeft(FrameHeader header);

  /** The frame's payload is where {@link #beginFrame} wanted it. */
  void endFrame(FrameHeader header);

  /** Both ends know of each other: from now on something may come, and be sent. */
  void wireUp();

  /** The peer's host has shown life: something came. */
  void peerAlive(long nowNs);

  /**
   * The peer was reset: it has forgotten everything. The wire is lost then, unless it is told to
   * {@link FrameStream#startOver}.
   */
  void peerReset();

  /** The peer will say nothing more: its program or its side of the queue pair has ended. */
  void wireLost(PeerLoss how, String why);

  /** Whoever has no more interest in a wire. */
  StreamListener NOBODY =
      new StreamListener() {
        @Override
        public boolean nextFrame(FrameHeader header, PayloadViews payload) {
          return false;
        }

        @Override
        public Pending pending() {
          return Pending.NOTHING;
        }

        @Override
        public void beginFrame(FrameHeader header, PayloadViews target) {}

        @Override
        public void memoryLeft(FrameHeader header) {}

        @Override
        public void endFrame(FrameHeader header) {}

        @Override
        public void wireUp() {}

        @Override
        public void peerAlive(long nowNs) {}

        @Override
        public void peerReset() {}

        @Override
        public void wireLost(PeerLoss how, String why) {}
      };
}
