// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

/** Has frames to send. Called with the device's lock held. */
public interface FrameSource {
  /**
   * Fills in the next frame to send.
   *
   * @param header to be set
   * @param payload takes views of exactly the payload
   * @return false if there is nothing to send now
   */
  boolean nextFrame(FrameHeader header, PayloadViews payload);
}
