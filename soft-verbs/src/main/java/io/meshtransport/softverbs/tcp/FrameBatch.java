// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameSource;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * Frames on their way into one socket, as one gathering write. Headers and short payloads are put
 * one behind the other into a buffer, so that many short messages are one piece of memory; longer
 * payloads are written from where they are. A connection acquires one while it has something to
 * write. Guarded by the device's lock; grows while warming up, then allocates nothing.
 */
final class FrameBatch {
  /** A payload up to this is copied: that costs less than one more buffer in a write. */
  private static final int SHORT_BYTES = 256;

  private static final int BUFFER_BYTES = 16 * 1024;

  /** Bytes of one source in a write before others get their turn. */
  private static final long BYTES_PER_TURN = 1 << 18;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final PayloadViews out = new PayloadViews();
  private final PayloadViews payload = new PayloadViews();
  private final FrameHeader header = new FrameHeader();

  /** Views of {@link #buffer}, each for one run of headers and short payloads. */
  private ByteBuffer[] runs = new ByteBuffer[4];

  /** The most of one write. */
  private int bytesPerWrite = SendPace.MAX_BYTES;

  private int runCount;
  private int runStart;
  private int end;
  private long bytes;

  boolean isEmpty() {
    return out.size() == 0 && runStart == end;
  }

  /** Limits the next write to about so many bytes, in frames no longer than that. */
  void limit(int newBytesPerWrite) {
    bytesPerWrite = newBytesPerWrite;
    header.maxPayloadBytes = Math.min(FrameHeader.MAX_PAYLOAD_BYTES, newBytesPerWrite);
  }

  /** Whether half of the write is used: bulk senders shall not fill all of it. */
  boolean isHalfFull() {
    // Short frames fill the buffer long before they are many bytes.
    return bytes >= bytesPerWrite / 2 || end >= BUFFER_BYTES / 2;
  }

  /** Whether another frame fits. */
  boolean hasCapacity() {
    return bytes < bytesPerWrite && end + FrameHeader.LENGTH_BYTES + SHORT_BYTES <= BUFFER_BYTES;
  }

  /**
   * Collects frames of one source, until there are none, or others should have their turn.
   *
   * @return whether there may be more
   */
  boolean collect(FrameSource source) {
    long turnEnd = bytes + BYTES_PER_TURN;
    boolean hasMore = true;
    while (hasMore && hasCapacity() && bytes < turnEnd) {
      hasMore = source.nextFrame(header, payload);
      if (hasMore) {
        add();
      }
    }
    return hasMore;
  }

  /** Copies everything that lies in the user's memory, and releases that. */
  void copyViews() {
    out.copyViews();
  }

  /** As {@link #copyViews()}, if something lies in that memory. */
  void detach(SoftMemoryRegion region) {
    if (out.touches(region)) {
      out.copyViews();
    }
  }

  private void add() {
    bytes += FrameHeader.LENGTH_BYTES + header.payloadBytes;
    header.encode(buffer, end);
    end += FrameHeader.LENGTH_BYTES;
    if (header.payloadBytes <= SHORT_BYTES) {
      end += payload.copyTo(buffer, end);
      payload.clear();
    } else {
      endRun();
      payload.moveTo(out);
    }
  }

  private void endRun() {
    if (runStart == end) {
      return;
    }
    if (runCount == runs.length) {
      runs = Arrays.copyOf(runs, 2 * runCount);
    }
    if (runs[runCount] == null) {
      runs[runCount] = buffer.duplicate();
    }
    out.add(runs[runCount++].limit(end).position(runStart));
    runStart = end;
  }

  /**
   * Writes what the kernel accepts.
   *
   * @return how many bytes that was; {@link #isEmpty} says whether any are left
   */
  long writeTo(SocketChannel channel) throws IOException {
    endRun();
    long written =
        out.size() == 1
            ? channel.write(out.get(out.first()))
            : channel.write(out.buffers(), out.first(), out.size());
    if (out.skipDone()) {
      clear();
    }
    return written;
  }

  void clear() {
    payload.clear();
    out.clear();
    runCount = 0;
    runStart = 0;
    end = 0;
    bytes = 0;
  }
}
