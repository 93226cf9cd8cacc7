// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Direct buffers one after the other. Any thread may call it. */
final class InMemoryMemory implements RegisteredMemory {
  private final InMemoryTransport owner;
  private final List<ByteBuffer> segments;
  private final ByteBuffer[] whole;
  private final Set<RemoteAccess> access;
  private final long lengthBytes;
  private Runnable onEnd;

  /** One while it is open, one for each use by a request. */
  private final AtomicInteger uses = new AtomicInteger(1);

  private volatile boolean closed;

  InMemoryMemory(
      InMemoryTransport owner,
      List<ByteBuffer> segments,
      Set<RemoteAccess> access,
      Runnable onEnd) {
    for (ByteBuffer segment : segments) {
      if (!segment.isDirect() || segment.isReadOnly() || segment.capacity() == 0) {
        throw new IllegalArgumentException("not a direct, writable buffer with room: " + segment);
      }
    }
    if (segments.isEmpty()) {
      throw new IllegalArgumentException("no buffer to register");
    }
    this.owner = owner;
    this.onEnd = onEnd;
    this.access = Set.copyOf(access);
    this.segments = List.copyOf(segments);
    // Absolute access stops at the limit, and that is the caller's to move.
    whole = segments.stream().map(s -> s.duplicate().clear()).toArray(ByteBuffer[]::new);
    lengthBytes = segments.stream().mapToLong(ByteBuffer::capacity).sum();
  }

  void check(InMemoryTransport user, long offsetBytes, long roomBytes) {
    if (owner != user) {
      throw new IllegalArgumentException("memory of another transport");
    }
    if (closed) {
      throw new IllegalStateException("memory is closed");
    }
    checkBounds(offsetBytes, roomBytes);
  }

  void checkBounds(long offsetBytes, long roomBytes) {
    if (offsetBytes < 0 || roomBytes < 0 || offsetBytes > lengthBytes - roomBytes) {
      throw new IllegalArgumentException(
          "offset " + offsetBytes + " and length " + roomBytes + " exceed " + lengthBytes);
    }
  }

  void copyTo(InMemoryMemory target, long from, long to, long count) {
    long done = 0;
    int source = 0;
    int sink = 0;
    long sourceBase = 0;
    long sinkBase = 0;
    while (done < count) {
      while (from + done >= sourceBase + whole[source].capacity()) {
        sourceBase += whole[source++].capacity();
      }
      while (to + done >= sinkBase + target.whole[sink].capacity()) {
        sinkBase += target.whole[sink++].capacity();
      }
      int read = (int) (from + done - sourceBase);
      int write = (int) (to + done - sinkBase);
      int room = Math.min(whole[source].capacity() - read, target.whole[sink].capacity() - write);
      int chunk = (int) Math.min(count - done, room);
      target.whole[sink].put(write, whole[source], read, chunk);
      done += chunk;
    }
  }

  void retain() {
    uses.incrementAndGet();
  }

  void release() {
    if (uses.decrementAndGet() == 0) {
      Runnable end = onEnd;
      onEnd = null;
      end.run();
    }
  }

  InMemoryTransport owner() {
    return owner;
  }

  Set<RemoteAccess> access() {
    return access;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public byte[] remoteKey() {
    if (access.isEmpty() || closed) {
      throw new IllegalStateException("no key: closed, or registered without RemoteAccess");
    }
    return InMemoryKey.encode(this);
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  public List<ByteBuffer> segments() {
    return segments;
  }

  @Override
  public long address() {
    if (closed) {
      throw new IllegalStateException("memory is closed");
    }
    long next = InMemoryAddress.of(segments.get(0));
    for (ByteBuffer segment : segments) {
      if (InMemoryAddress.of(segment) != next) {
        throw new IllegalStateException("segments that are not adjacent");
      }
      next += segment.capacity();
    }
    return next - lengthBytes;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    owner.forget(this);
    release();
  }

  @Override
  public String toString() {
    return lengthBytes() + " bytes of memory";
  }
}
