// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The ends of flows at one node, each at an index that the other end learns, and the numbers of
 * those that have ended lately. Of one thread, the relay's.
 */
final class FlowTable {
  /** Ends of flows at once. */
  static final int MAX_FLOWS = 1 << 14;

  /** Flows that have ended lately: what still comes of them must not begin them again. */
  private static final int ENDED_KEPT = 256;

  /** Null where a flow has ended. */
  private final List<Flow> flows = new ArrayList<>();

  private final long[] ended = new long[ENDED_KEPT];
  private int endedCount;

  /** Indices are below; some have no flow. */
  int size() {
    return flows.size();
  }

  /** The flow at an index, or null. */
  Flow get(int index) {
    return flows.get(index);
  }

  /** Gives a flow an index; false if there is none left. */
  boolean add(Flow flow) {
    int index = flows.indexOf(null);
    if (index < 0 && flows.size() == MAX_FLOWS) {
      return false;
    }
    if (index < 0) {
      index = flows.size();
      flows.add(flow);
    } else {
      flows.set(index, flow);
    }
    flow.index = index;
    return true;
  }

  /** A flow has ended; false if it has none of the indices. */
  boolean remove(Flow flow) {
    boolean isHere = flow.index >= 0 && flow.index < flows.size() && flows.get(flow.index) == flow;
    if (isHere) {
      flows.set(flow.index, null);
      ended[endedCount++ % ENDED_KEPT] = flow.number;
    }
    return isHere;
  }

  boolean hasEnded(long number) {
    for (long each : ended) {
      if (each == number) {
        return true;
      }
    }
    return false;
  }

  /** The flow that a chunk is for, or null. */
  Flow find(ByteBuffer chunk, int flags) {
    int index = ChunkHeader.to(chunk);
    if (index >= 0 && index < flows.size()) {
      Flow flow = flows.get(index);
      return flow != null && isOf(flow, chunk) ? flow : null;
    }
    boolean isOpening = (flags & ChunkHeader.OPEN) != 0;
    for (Flow flow : flows) {
      if (flow != null && isOf(flow, chunk) && flow.isOpener != isOpening) {
        return flow;
      }
    }
    return null;
  }

  private static boolean isOf(Flow flow, ByteBuffer chunk) {
    return flow.number == ChunkHeader.flow(chunk) && ChunkHeader.isNode(chunk, 0, flow.peer);
  }
}
