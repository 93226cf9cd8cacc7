// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Takes frames out of one socket. Short ones come many at a time through a buffer that is borrowed
 * while it holds something; the payload of a long one is read straight to where it belongs. Guarded
 * by the device's lock.
 */
final class FrameReader {
  /** So much is read at once where frames are short. */
  static final int STAGING_BYTES = 16 * 1024;

  /** So much is read behind the payload of a long frame: the next is likely to be long, too. */
  static final int STAGED_BEHIND_LONG_BYTES = 4096;

  private final TcpNetwork network;
  private final MuxConnection trunk;
  private final FrameHeader header = new FrameHeader();
  private final PayloadViews target = new PayloadViews();

  /** What has come and is not a whole header, or null. */
  private ByteBuffer staging;

  private boolean isReading;
  private boolean isInFrame;
  private int payloadLeft;

  FrameReader(TcpNetwork network, MuxConnection trunk) {
    this.network = network;
    this.trunk = trunk;
  }

  /** One read; whether there may be more to read. */
  boolean readOnce(SocketChannel channel) throws IOException {
    if (staging == null) {
      staging = network.stagings().lend();
    }
    isReading = true;
    try {
      return target.size() > 0 ? readIntoPlace(channel) : readIntoStaging(channel);
    } finally {
      isReading = false;
      if (staging.position() == 0 || !trunk.isUp()) {
        giveBackStaging();
      }
    }
  }

  private boolean readIntoStaging(SocketChannel channel) throws IOException {
    int room = staging.remaining();
    return took(channel.read(staging), room);
  }

  private boolean readIntoPlace(SocketChannel channel) throws IOException {
    // Nothing is staged here, and what comes after the payload is.
    staging.limit(isLong() ? STAGED_BEHIND_LONG_BYTES : staging.capacity());
    long room = (long) payloadLeft + staging.remaining();
    target.add(staging);
    long count;
    try {
      count = channel.read(target.buffers(), target.first(), target.size());
    } finally {
      target.removeLast();
      staging.limit(staging.capacity());
    }
    payloadLeft -= (int) Math.min(payloadLeft, Math.max(0, count));
    return took(count, room);
  }

  private boolean isLong() {
    return header.payloadBytes > STAGING_BYTES;
  }

  /** Whether a read filled all the room there was. */
  private boolean took(long count, long room) throws IOException {
    if (count < 0) {
      trunk.lost(PeerLoss.ENDED, "the peer closed it");
    } else if (count > 0) {
      trunk.heard();
      parse();
    }
    return count == room;
  }

  private void parse() {
    staging.flip();
    while (trunk.isUp() && (isInFrame ? takePayload() : takeHeader())) {}
    if (staging.hasRemaining()) {
      staging.compact();
    } else {
      // Moving nothing costs as much as moving something short.
      staging.clear();
    }
    if (!trunk.isUp()) {
      staging.clear();
      target.clear();
    }
  }

  private void giveBackStaging() {
    if (staging != null) {
      network.stagings().giveBack(staging.clear());
      staging = null;
    }
  }

  private boolean takeHeader() {
    if (staging.remaining() < FrameHeader.LENGTH_BYTES) {
      return false;
    }
    if (!header.decode(staging, staging.position())) {
      trunk.lost(PeerLoss.GARBAGE, "the peer sent something that is not a frame");
      return false;
    }
    staging.position(staging.position() + FrameHeader.LENGTH_BYTES);
    payloadLeft = header.payloadBytes;
    isInFrame = true;
    trunk.beginFrame(header, target);
    return true;
  }

  private boolean takePayload() {
    int staged = Math.min(staging.remaining(), payloadLeft);
    int end = staging.limit();
    staging.limit(staging.position() + staged);
    target.copyFrom(staging);
    // Where nobody wants it, it is skipped.
    staging.position(staging.limit()).limit(end);
    payloadLeft -= staged;
    if (payloadLeft > 0) {
      return false;
    }
    isInFrame = false;
    target.clear();
    trunk.endFrame(header);
    return true;
  }

  /**
   * What still comes of a payload is thrown away if some of it was for that memory.
   *
   * @return the header of the frame that is half read, if so; or null
   */
  FrameHeader leave(SoftMemoryRegion region) {
    if (!target.touches(region)) {
      return null;
    }
    target.clear();
    return header;
  }

  /** What still comes of a payload is thrown away. */
  void forgetTarget() {
    target.clear();
  }

  /** The trunk has ended. */
  void end() {
    target.clear();
    if (!isReading) {
      giveBackStaging();
    }
  }
}
