// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.MemorySegment;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.frame.SegmentOwner;
import io.meshtransport.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Registered memory of a soft device: one range of addresses over one or more direct buffers, which
 * it keeps reachable. Values are for any thread; the views are guarded by the device's lock.
 */
public final class SoftMemoryRegion implements MemoryRegion, SegmentOwner {
  private final SoftProtectionDomain domain;
  private final long address;
  private final long lengthBytes;
  private final int access;
  private final MemorySegment[] segments;
  private int localKey;
  private int remoteKey;
  private boolean closed;

  SoftMemoryRegion(
      SoftProtectionDomain domain, long address, List<ByteBuffer> buffers, int access) {
    this.domain = domain;
    this.address = address;
    this.access = access;
    this.segments = new MemorySegment[buffers.size()];
    long start = 0;
    for (int i = 0; i < segments.length; i++) {
      ByteBuffer whole = buffers.get(i).duplicate().clear();
      segments[i] = new MemorySegment(whole, start);
      start += whole.limit();
    }
    this.lengthBytes = start;
  }

  SoftProtectionDomain domain() {
    return domain;
  }

  /** Set once, by the table of keys. */
  void keys(int newLocalKey, int newRemoteKey) {
    localKey = newLocalKey;
    remoteKey = newRemoteKey;
  }

  @Override
  public boolean owns(MemorySegment segment) {
    for (MemorySegment own : segments) {
      if (own == segment) {
        return true;
      }
    }
    return false;
  }

  /** Whether every byte is inside and every right of {@code wanted} is granted. */
  boolean permits(long from, long bytes, int wanted) {
    long offset = from - address;
    return (access & wanted) == wanted
        && Long.compareUnsigned(offset, lengthBytes) <= 0
        && bytes <= lengthBytes - offset;
  }

  /** Adds views of a range that {@link #permits} has found inside. */
  void addViews(long from, long bytes, PayloadViews views) {
    long at = from - address;
    long end = at + bytes;
    for (int i = segmentAt(at); at < end; i++) {
      MemorySegment segment = segments[i];
      int pieceBytes = (int) (Math.min(end, segment.endBytes()) - at);
      views.add(segment.acquire((int) (at - segment.startBytes()), pieceBytes), segment);
      at += pieceBytes;
    }
  }

  private int segmentAt(long offset) {
    int index = 0;
    while (index < segments.length - 1 && segments[index].endBytes() <= offset) {
      index++;
    }
    return index;
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  public int localKey() {
    return localKey;
  }

  @Override
  public int remoteKey() {
    return remoteKey;
  }

  /** From the return on no byte of it is read or written, whatever is half done. */
  @Override
  public void close() {
    domain.device().locked(this::closeOnce);
  }

  private void closeOnce() {
    if (!closed) {
      closed = true;
      domain.device().keys().remove(this);
      domain.device().network().detach(this);
      domain.childClosed();
    }
  }
}
