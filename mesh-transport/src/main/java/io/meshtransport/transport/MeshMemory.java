package io.meshtransport.transport;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;

/**
 * Memory registered with every NIC of one transport. Registration happens whole at {@link
 * MeshTransport#register}, so that no message ever waits for one. Ends when it is closed and no
 * request uses it. Any thread may call it.
 */
final class MeshMemory implements RegisteredMemory {
  private static final AtomicIntegerFieldUpdater<MeshMemory> HOLDS =
      AtomicIntegerFieldUpdater.newUpdater(MeshMemory.class, "holds");

  private final MeshTransport owner;
  private final List<ByteBuffer> segments;
  private final long lengthBytes;
  private final List<MemoryRegion> regions;
  private final Consumer<MeshMemory> onEnd;

  /**
   * One for the owner while it is open, one for each use by a request; 0 means the regions are
   * gone.
   */
  private volatile int holds = 1;

  private volatile boolean closed;

  /**
   * @param regions by the index of the NIC
   * @param onEnd told once, when the regions are gone
   */
  MeshMemory(
      MeshTransport owner,
      List<ByteBuffer> segments,
      List<MemoryRegion> regions,
      Consumer<MeshMemory> onEnd) {
    this.owner = owner;
    this.segments = segments;
    this.lengthBytes = segments.stream().mapToLong(ByteBuffer::capacity).sum();
    this.regions = regions;
    this.onEnd = onEnd;
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  public List<ByteBuffer> segments() {
    return segments;
  }

  /**
   * Checks that a request may use a piece of some memory and keeps it from ending until {@link
   * #release}.
   *
   * @throws IllegalArgumentException foreign memory, or out of bounds
   * @throws IllegalStateException closed memory
   */
  static MeshMemory retain(
      MeshTransport owner, RegisteredMemory memory, long offsetBytes, long lengthBytes) {
    if (!(memory instanceof MeshMemory ours) || ours.owner != owner) {
      throw new IllegalArgumentException(
          memory == null
              ? "no memory given: register a direct buffer with Transport.register"
              : "this memory belongs to another transport: register it with the one whose channel uses it");
    }
    if (offsetBytes < 0 || lengthBytes < 0 || offsetBytes > ours.lengthBytes - lengthBytes) {
      throw new IllegalArgumentException(
          "offset "
              + offsetBytes
              + " and length "
              + lengthBytes
              + " reach outside the memory's "
              + ours.lengthBytes
              + " bytes");
    }
    ours.retain();
    return ours;
  }

  private void retain() {
    int now;
    do {
      now = holds;
      if (closed || now == 0) {
        throw new IllegalStateException("this memory of " + lengthBytes + " bytes is closed");
      }
    } while (!HOLDS.compareAndSet(this, now, now + 1));
  }

  void release() {
    if (HOLDS.decrementAndGet(this) == 0) {
      deregister();
    }
  }

  MemoryRegion region(int nicIndex) {
    return regions.get(nicIndex);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    release();
  }

  private void deregister() {
    IllegalStateException leak =
        new IllegalStateException("memory of " + lengthBytes + " bytes cannot be deregistered");
    for (MemoryRegion region : regions) {
      try {
        region.close();
      } catch (VerbsException e) {
        leak.addSuppressed(e);
      }
    }
    onEnd.accept(this);
    if (leak.getSuppressed().length > 0) {
      throw leak;
    }
  }
}
