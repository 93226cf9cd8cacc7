// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Reads frames from one socket. Short ones come many at a time through a buffer that is acquired
 * while it contains something; the payload of a long one is read straight to where it belongs.
 * Guarded by the device's lock.
 */
final class FrameReader {
  /**
   * Bytes of one read where frames are short: one segment of the kernel's. To copy a payload of
   * some KiB from there, while it is in the processor's cache, costs less than a read of its own.
   */
  static final int STAGING_BYTES = 64 * 1024;

  /** The payload of a longer frame is read to where it belongs. */
  private static final int MAX_STAGED_PAYLOAD_BYTES = 16 * 1024;

  /** Bytes read behind a long frame. */
  static final int STAGED_BEHIND_LONG_BYTES = 4096;

  private final TcpNetwork network;
  private final MuxConnection connection;
  private final FrameDispatcher dispatcher;
  private final FrameHeader header = new FrameHeader();
  private final PayloadViews target = new PayloadViews();

  /** What has come and is not a whole header, or null. */
  private ByteBuffer staging;

  private boolean isReading;
  private boolean isInFrame;

  /** Of the frame before. */
  private int earlierPayloadBytes;

  private int payloadLeft;

  FrameReader(TcpNetwork network, MuxConnection connection, FrameDispatcher dispatcher) {
    this.network = network;
    this.connection = connection;
    this.dispatcher = dispatcher;
  }

  /** Reads once; true if there may be more to read. */
  boolean readOnce(SocketChannel channel) throws IOException {
    if (staging == null) {
      staging = network.stagings().acquire();
    }
    isReading = true;
    try {
      return target.size() > 0 ? readIntoPlace(channel) : readIntoStaging(channel);
    } finally {
      isReading = false;
      if (staging.position() == 0 || !connection.isUp()) {
        releaseStaging();
      }
    }
  }

  private boolean readIntoStaging(SocketChannel channel) throws IOException {
    limitStaging();
    int capacity = staging.remaining();
    int count;
    try {
      count = channel.read(staging);
    } finally {
      staging.limit(staging.capacity());
    }
    return onRead(count, capacity);
  }

  private boolean readIntoPlace(SocketChannel channel) throws IOException {
    // Nothing is staged here, and what comes after the payload is.
    limitStaging();
    long capacity = (long) payloadLeft + staging.remaining();
    target.add(staging);
    long count;
    try {
      count = channel.read(target.buffers(), target.first(), target.size());
    } finally {
      target.removeLast();
      staging.limit(staging.capacity());
    }
    payloadLeft -= (int) Math.min(payloadLeft, Math.max(0, count));
    return onRead(count, capacity);
  }

  /**
   * By the frame that is arriving, or has arrived last, and the one before: the next is likely to
   * be as long as one of them, where a short one follows each long one.
   */
  private void limitStaging() {
    boolean isLong = Math.max(header.payloadBytes, earlierPayloadBytes) > MAX_STAGED_PAYLOAD_BYTES;
    staging.limit(isLong ? STAGED_BEHIND_LONG_BYTES : staging.capacity());
  }

  /** Parses what was read; true if the read filled all the space there was. */
  private boolean onRead(long count, long capacity) throws IOException {
    if (count < 0) {
      connection.close(PeerLoss.ENDED, "the peer closed it");
    } else if (count > 0) {
      connection.onReceived(count);
      parse();
    }
    return count == capacity;
  }

  private void parse() {
    staging.flip();
    while (connection.isUp() && (isInFrame ? parsePayload() : parseHeader())) {}
    if (staging.hasRemaining()) {
      staging.compact();
    } else {
      // Moving nothing costs as much as moving something short.
      staging.clear();
    }
    if (!connection.isUp()) {
      staging.clear();
      target.clear();
    }
  }

  private void releaseStaging() {
    if (staging != null) {
      network.stagings().release(staging.clear());
      staging = null;
    }
  }

  private boolean parseHeader() {
    if (staging.remaining() < FrameHeader.LENGTH_BYTES) {
      return false;
    }
    earlierPayloadBytes = header.payloadBytes;
    if (!header.decode(staging, staging.position())) {
      connection.close(PeerLoss.GARBAGE, "the peer sent something that is not a frame");
      return false;
    }
    staging.position(staging.position() + FrameHeader.LENGTH_BYTES);
    payloadLeft = header.payloadBytes;
    isInFrame = true;
    dispatcher.beginFrame(header, target);
    return true;
  }

  private boolean parsePayload() {
    int staged = Math.min(staging.remaining(), payloadLeft);
    int end = staging.limit();
    staging.limit(staging.position() + staged);
    target.copyFrom(staging);
    // A payload without a target is skipped.
    staging.position(staging.limit()).limit(end);
    payloadLeft -= staged;
    if (payloadLeft > 0) {
      return false;
    }
    isInFrame = false;
    target.clear();
    dispatcher.endFrame(header);
    return true;
  }

  /**
   * Discards the rest of the payload that is arriving if some of it was for that memory.
   *
   * @return the header of the frame that is half read, if so; or null
   */
  FrameHeader detach(SoftMemoryRegion region) {
    if (!target.touches(region)) {
      return null;
    }
    target.clear();
    return header;
  }

  /** Discards the rest of the payload that is arriving. */
  void discardPayload() {
    target.clear();
  }

  /** The connection has ended. */
  void end() {
    target.clear();
    if (!isReading) {
      releaseStaging();
    }
  }
}
