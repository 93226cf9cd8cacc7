// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameSource;
import io.meshtransport.softverbs.frame.PayloadViews;

/** The queue pair's side of a {@link FrameStream}. Called with the device's lock held. */
public interface StreamListener extends FrameSource {
  /** What {@link #nextFrame} has to send. */
  Pending pending();

  /** What a {@link StreamListener} has to send. */
  enum Pending {
    NOTHING,

    /** An acknowledgement and no more: it may be coalesced with later frames. */
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

  /** The memory of the frame that is arriving was closed: its payload will not be there. */
  void onMemoryClosed(FrameHeader header);

  /** The frame has come, and its payload is in the views of {@link #beginFrame}. */
  void endFrame(FrameHeader header);

  /** Both ends know each other: from now on frames may come, and be sent. */
  void onStreamUp();

  /** The peer's host has shown life: something came. */
  void onPeerAlive(long nowNs);

  /**
   * The peer was reset, and its state is gone. The stream is lost then, unless this calls {@link
   * FrameStream#startOver}.
   */
  void onPeerReset();

  /** The peer will send nothing more: its program or its side of the queue pair has ended. */
  void onStreamLost(PeerLoss how, String why);

  /** Ignores everything: the listener of a stream that was abandoned. */
  StreamListener NONE =
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
        public void onMemoryClosed(FrameHeader header) {}

        @Override
        public void endFrame(FrameHeader header) {}

        @Override
        public void onStreamUp() {}

        @Override
        public void onPeerAlive(long nowNs) {}

        @Override
        public void onPeerReset() {}

        @Override
        public void onStreamLost(PeerLoss how, String why) {}
      };
}
