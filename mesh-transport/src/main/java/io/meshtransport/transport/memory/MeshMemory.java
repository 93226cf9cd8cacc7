// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.transport.device.Registration;
import io.meshtransport.verbs.DirectMemory;
import io.meshtransport.verbs.MemoryRegion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Memory registered with every NIC of one transport. Registration happens whole at {@link
 * MemoryRegistry#register}, so that no message ever waits for one. Ends when it is closed and no
 * request uses it. Any thread may call it.
 */
public final class MeshMemory implements RegisteredMemory, Retained {
  private static final VarHandle HOLDS;

  static {
    try {
      HOLDS = MethodHandles.lookup().findVarHandle(MeshMemory.class, "holds", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemoryRegistry owner;
  private final List<ByteBuffer> segments;
  private final long lengthBytes;
  private final Registration registration;
  private final Set<RemoteAccess> rights;
  private final long startBytes;

  /**
   * What ends the registration, with all that is to stay reachable until then; null from then on.
   */
  private Consumer<MeshMemory> onEnd;

  /** As {@link #address()} says; 0 before the first call. */
  private volatile long address;

  /** One for the owner while it is open, one for each use by a request; 0 means that it ended. */
  private volatile int holds = 1;

  private volatile boolean closed;

  /**
   * @param rights what peers that have its key may do
   * @param startBytes where in the registered memory it begins
   * @param onEnd called once, when its last user has released it; decides what becomes of the
   *     registration
   */
  public MeshMemory(
      MemoryRegistry owner,
      List<ByteBuffer> segments,
      Registration registration,
      Set<RemoteAccess> rights,
      long startBytes,
      Consumer<MeshMemory> onEnd) {
    this.owner = owner;
    this.segments = segments;
    this.lengthBytes = segments.stream().mapToLong(ByteBuffer::capacity).sum();
    this.registration = registration;
    this.rights = rights;
    this.startBytes = startBytes;
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

  @Override
  public long address() {
    if (closed) {
      throw new IllegalStateException("this memory of " + lengthBytes + " bytes is closed");
    }
    if (address == 0) {
      address = addressOf(segments);
    }
    return address;
  }

  private static long addressOf(List<ByteBuffer> segments) {
    long first = DirectMemory.addressOf(segments.get(0));
    long next = first;
    for (ByteBuffer segment : segments) {
      if (DirectMemory.addressOf(segment) != next) {
        throw new IllegalStateException(
            "this memory has no single address: its "
                + segments.size()
                + " segments are not adjacent. Slice them from one buffer");
      }
      next += segment.capacity();
    }
    return first;
  }

  /**
   * Checks that a request may use a piece of some memory and keeps it from ending until {@link
   * #release}.
   *
   * @throws IllegalArgumentException foreign memory, or out of bounds
   * @throws IllegalStateException closed memory
   */
  public static MeshMemory retain(
      MemoryRegistry owner, RegisteredMemory memory, long offsetBytes, long lengthBytes) {
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

  /** Whether requests use it. */
  boolean isInUse() {
    return holds > 1;
  }

  /**
   * Keeps it from ending until {@link #release}.
   *
   * @throws IllegalStateException closed memory
   */
  void retain() {
    int now;
    do {
      now = holds;
      if (closed || now == 0) {
        throw new IllegalStateException("this memory of " + lengthBytes + " bytes is closed");
      }
    } while (!HOLDS.compareAndSet(this, now, now + 1));
  }

  @Override
  public void release() {
    if ((int) HOLDS.getAndAdd(this, -1) == 1) {
      onEnd.accept(this);
      onEnd = null;
    }
  }

  @Override
  public MeshMemory memory() {
    return this;
  }

  Registration registration() {
    return registration;
  }

  /** Whether a NIC knows it: all that are in use do. */
  boolean isOn(int nicIndex) {
    return registration.isOn(nicIndex);
  }

  /** The region of a NIC, or null if none has this index now; a NIC may go at any moment. */
  public MemoryRegion regionOrNull(int nicIndex) {
    return registration.regionOrNull(nicIndex);
  }

  /** Where its first byte is in one of its regions. */
  public long addressIn(MemoryRegion region) {
    return region.address() + startBytes;
  }

  /** Where its first byte is, as a NIC's work requests and peers name it. */
  public long address(int nicIndex) {
    return addressIn(registration.on(nicIndex));
  }

  /**
   * The region of a NIC, for its keys alone: it may begin before this memory does, which {@link
   * #address} knows.
   */
  public MemoryRegion keys(int nicIndex) {
    return registration.on(nicIndex);
  }

  @Override
  public byte[] remoteKey() {
    if (rights.isEmpty()) {
      throw new IllegalStateException(
          "this memory of "
              + lengthBytes
              + " bytes has no key: register it with the RemoteAccess that peers are to have");
    }
    retain();
    try {
      long[] addresses = new long[registration.nicCount()];
      int[] keys = new int[addresses.length];
      for (int nic = 0; nic < addresses.length; nic++) {
        MemoryRegion given = registration.givenOn(nic);
        if (given != null) {
          addresses[nic] = given.address() + startBytes;
          keys[nic] = given.remoteKey();
        }
      }
      return new RemoteKey(owner.self(), rights, lengthBytes, addresses, keys).encode();
    } finally {
      release();
    }
  }

  /** Its length, what peers may do, and whether it is closed or in use. */
  @Override
  public String toString() {
    int uses = closed ? holds : holds - 1;
    return lengthBytes
        + " bytes of registered memory"
        + (rights.isEmpty() ? "" : ", for peers " + rights)
        + (closed ? ", closed" : "")
        + (uses > 0 ? ", used by " + uses + " requests" : "");
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
}
