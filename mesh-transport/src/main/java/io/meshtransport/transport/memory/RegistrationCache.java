// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.DirectMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Direct buffers of users who do not register: each is registered when it is first used and stays
 * so until others need its place, the one unused longest first. Found by address, so that slices
 * and duplicates of one buffer are one; kept reachable, so that no other memory can get the address
 * of an entry. Any thread may call it; allocates nothing for a buffer object that it has seen
 * lately.
 */
public final class RegistrationCache {
  /** Entries can overlap, so the one with the nearest beginning need not be the one that fits. */
  private static final int LOOK_BACK = 8;

  /** Buffer objects whose address is remembered: asking for it makes garbage. */
  private static final int KNOWN_BUFFERS = 256;

  private static final Entry[] NONE = {};

  private final MemoryRegistry table;
  private final long bytesAtMost;
  private final int entriesAtMost;
  private final ByteBuffer[] knownBuffers = new ByteBuffer[KNOWN_BUFFERS];
  private final long[] knownAddresses = new long[KNOWN_BUFFERS];

  /** By address. */
  private Entry[] entries = NONE;

  private int size;
  private long bytes;
  private long uses;
  private long hits;
  private long misses;
  private long evictions;

  /** A registered buffer. */
  static final class Entry implements Retained {
    private final MeshMemory memory;
    private final long address;
    private final long lengthBytes;
    private long lastUse;

    Entry(MeshMemory memory, long address) {
      this.memory = memory;
      this.address = address;
      this.lengthBytes = memory.lengthBytes();
    }

    @Override
    public MeshMemory memory() {
      return memory;
    }

    /** Where in this memory an address is. */
    long offsetOf(long of) {
      return of - address;
    }

    boolean holds(long from, long count) {
      return from >= address && from - address <= lengthBytes - count;
    }

    private boolean overlaps(long from, long count) {
      return from < address + lengthBytes && address < from + count;
    }

    @Override
    public void release() {
      memory.release();
    }
  }

  /**
   * @param bytesAtMost that stay registered
   * @param entriesAtMost buffers that stay registered
   */
  RegistrationCache(MemoryRegistry table, long bytesAtMost, int entriesAtMost) {
    this.table = table;
    this.bytesAtMost = bytesAtMost;
    this.entriesAtMost = entriesAtMost;
  }

  /** Where the first byte of a direct buffer is, its position notwithstanding. */
  synchronized long addressOf(ByteBuffer buffer) {
    int at = placeOf(buffer);
    return knownBuffers[at] == buffer ? knownAddresses[at] : DirectMemory.addressOf(buffer);
  }

  private static int placeOf(ByteBuffer buffer) {
    return System.identityHashCode(buffer) & KNOWN_BUFFERS - 1;
  }

  /** Only of buffers that lie in an entry, which keeps their memory anyhow. */
  private void remember(ByteBuffer buffer, long address) {
    int at = placeOf(buffer);
    knownBuffers[at] = buffer;
    knownAddresses[at] = address;
  }

  /** Buffer objects whose address is remembered, which that keeps reachable. */
  synchronized int remembered() {
    return (int) Arrays.stream(knownBuffers).filter(Objects::nonNull).count();
  }

  /**
   * The registration of a buffer, made now if there is none, and kept from ending until the entry
   * is released.
   *
   * @param buffer direct, and not read-only
   * @param address as {@link #addressOf} says
   * @throws TransportException NO_RESOURCES if it cannot be registered
   */
  synchronized Entry take(ByteBuffer buffer, long address) throws TransportException {
    Entry found = find(address + buffer.position(), buffer.remaining());
    if (found == null) {
      misses++;
      return add(buffer, address);
    }
    hits++;
    found.memory.retain();
    found.lastUse = ++uses;
    remember(buffer, address);
    return found;
  }

  private Entry find(long from, long count) {
    int position = firstAbove(from) - 1;
    for (int looks = 0; looks < LOOK_BACK && position >= 0; looks++, position--) {
      if (entries[position].holds(from, count)) {
        return entries[position];
      }
    }
    return null;
  }

  private int firstAbove(long address) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (entries[middle].address <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private Entry add(ByteBuffer buffer, long address) throws TransportException {
    long count = buffer.capacity();
    // What the new entry covers is found through it from now on.
    for (int position = size - 1; position >= 0; position--) {
      Entry old = entries[position];
      if (old.address >= address && old.address + old.lengthBytes <= address + count) {
        remove(position);
      }
    }
    boolean stays = makeSpace(count);
    Entry entry = new Entry(register(buffer), address);
    entry.memory.retain();
    entry.lastUse = ++uses;
    if (stays) {
      insert(entry);
      remember(buffer, address);
    } else {
      // For this request alone.
      entry.memory.close();
    }
    return entry;
  }

  private MeshMemory register(ByteBuffer buffer) throws TransportException {
    List<ByteBuffer> whole = List.of(buffer.duplicate().clear());
    try {
      return table.register(whole, Set.of());
    } catch (TransportException e) {
      // What is kept for later must not be what stands in the way now.
      int before = size;
      evictWhile(() -> true);
      if (size == before) {
        throw e;
      }
      return table.register(whole, Set.of());
    }
  }

  /** Evicts what is not in use; returns whether the new entries fit. */
  private boolean makeSpace(long count) {
    if (count > bytesAtMost || entriesAtMost == 0) {
      return false;
    }
    evictWhile(() -> size >= entriesAtMost || bytes > bytesAtMost - count);
    return size < entriesAtMost && bytes <= bytesAtMost - count;
  }

  private interface Condition {
    boolean holds();
  }

  private void evictWhile(Condition condition) {
    int eldest = eldestUnused();
    while (eldest >= 0 && condition.holds()) {
      evictions++;
      remove(eldest);
      eldest = eldestUnused();
    }
  }

  private int eldestUnused() {
    int eldest = -1;
    for (int position = 0; position < size; position++) {
      Entry entry = entries[position];
      if (!entry.memory.isInUse() && (eldest < 0 || entry.lastUse < entries[eldest].lastUse)) {
        eldest = position;
      }
    }
    return eldest;
  }

  private void insert(Entry entry) {
    if (size == entries.length) {
      entries = Arrays.copyOf(entries, Math.max(8, 2 * size));
    }
    int position = firstAbove(entry.address);
    System.arraycopy(entries, position, entries, position + 1, size - position);
    entries[position] = entry;
    size++;
    bytes += entry.lengthBytes;
  }

  /** Its registration ends with the last request that uses it. */
  private void remove(int position) {
    Entry entry = entries[position];
    System.arraycopy(entries, position + 1, entries, position, size - position - 1);
    entries[--size] = null;
    bytes -= entry.lengthBytes;
    removeAddresses(entry.address, entry.lengthBytes);
    entry.memory.close();
  }

  /** Buffers that are not registered any more must not stay reachable through here. */
  private void removeAddresses(long from, long count) {
    for (int at = 0; at < KNOWN_BUFFERS; at++) {
      if (knownBuffers[at] != null
          && knownAddresses[at] < from + count
          && from < knownAddresses[at] + knownBuffers[at].capacity()) {
        knownBuffers[at] = null;
      }
    }
  }

  /** Ends every registration that has any of this memory. */
  public synchronized void remove(ByteBuffer buffer) {
    long from = DirectMemory.addressOf(buffer);
    for (int position = size - 1; position >= 0; position--) {
      if (entries[position].overlaps(from, buffer.capacity())) {
        remove(position);
      }
    }
    removeAddresses(from, buffer.capacity());
  }

  synchronized int size() {
    return size;
  }

  synchronized long bytes() {
    return bytes;
  }

  synchronized long hits() {
    return hits;
  }

  synchronized long misses() {
    return misses;
  }

  synchronized long evictions() {
    return evictions;
  }
}
