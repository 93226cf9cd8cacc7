// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

/** Registered memory, which is made of segments. With the device's lock held. */
public interface SegmentOwner {
  /** Whether that is a segment of this memory. */
  boolean owns(MemorySegment segment);
}
