// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.MemoryStatistics;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.device.Registration;
import io.meshtransport.transport.device.Registrations;
import io.meshtransport.verbs.DirectMemory;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The registered memory of one transport: makes it, on every NIC at once, and knows what is left of
 * it when the transport closes. Any thread may call it.
 */
public final class MemoryRegistry {
  private static final Logger LOG = LogManager.getLogger(MemoryRegistry.class);

  private final NodeId self;
  private final Registrations registrations;
  private final MemoryPool pool;
  private final UnregisteredBuffers unregistered;
  private final Set<MeshMemory> memories = ConcurrentHashMap.newKeySet();

  /**
   * @param self this node, as remote keys name it
   */
  public MemoryRegistry(NodeId self, Registrations registrations, MemorySettings settings) {
    this.self = self;
    this.registrations = registrations;
    pool = new MemoryPool(registrations, settings.poolBytes());
    unregistered =
        new UnregisteredBuffers(
            new BounceBufferPool(this, settings.bounceBytes(), settings.bounceBuffers()),
            new RegistrationCache(this, settings.cacheBytes(), settings.cacheEntries()),
            new LongBounceBufferPool(this, settings.longBounceBytes(), settings.poolBytes()));
  }

  /** Rules as for {@link Transport#register(List, Set)}. */
  public MeshMemory register(List<ByteBuffer> segments, Set<RemoteAccess> rights)
      throws TransportException {
    requireRegistrable(segments);
    return register(segments, rights, null, () -> {});
  }

  /** Rules as for {@link Transport#register(long, long, Set, Object, Runnable)}. */
  public MeshMemory register(
      long address, long lengthBytes, Set<RemoteAccess> rights, Object keepAlive, Runnable onEnd)
      throws TransportException {
    requireRange(address, lengthBytes);
    return register(DirectMemory.at(address, lengthBytes), rights, keepAlive, onEnd);
  }

  private MeshMemory register(
      List<ByteBuffer> segments, Set<RemoteAccess> rights, Object keepAlive, Runnable onEnd)
      throws TransportException {
    Registration registration;
    try {
      registration = registrations.make(segments, rights);
    } catch (VerbsException e) {
      if (e.errno() == Errno.EINVAL) {
        // Of what is wrong with buffers only this is the device's to judge.
        throw new IllegalArgumentException(e.getMessage() + ". MESH_PROVIDER=soft can.", e);
      }
      throw new TransportException(Reason.NO_RESOURCES, e.getMessage(), e);
    }
    MeshMemory memory =
        new MeshMemory(
            this,
            List.copyOf(segments),
            registration,
            Set.copyOf(rights),
            0,
            ended -> end(ended, keepAlive, onEnd));
    memories.add(memory);
    return memory;
  }

  /** Rules as for {@link Transport#allocate(long, Set)}. */
  public MeshMemory allocate(long lengthBytes, Set<RemoteAccess> rights) throws TransportException {
    if (lengthBytes < 1 || lengthBytes > Transport.MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          lengthBytes + " bytes cannot be allocated: 1 to " + Transport.MAX_MESSAGE_BYTES + " can");
    }
    if (!rights.isEmpty()) {
      return register(MemoryPool.newMemory(lengthBytes), rights);
    }
    MemoryPool.Place place;
    try {
      place = pool.take(lengthBytes);
    } catch (VerbsException e) {
      throw new TransportException(Reason.NO_RESOURCES, e.getMessage(), e);
    }
    MeshMemory memory =
        new MeshMemory(
            this,
            place.buffers(lengthBytes),
            place.slab().registration(),
            Set.of(),
            place.startBytes(),
            ended -> giveBack(ended, place));
    memories.add(memory);
    return memory;
  }

  private void giveBack(MeshMemory memory, MemoryPool.Place place) {
    memories.remove(memory);
    pool.giveBack(place);
  }

  /** This node, as its remote keys name it. */
  NodeId self() {
    return self;
  }

  /** For buffers that are not registered. */
  public UnregisteredBuffers unregistered() {
    return unregistered;
  }

  public MemoryStatistics statistics() {
    RegistrationCache cache = unregistered.cache();
    BounceBufferPool bounces = unregistered.bounces();
    return new MemoryStatistics(
        memories.size(),
        memories.stream().mapToLong(MeshMemory::lengthBytes).sum(),
        pool.idleBytes(),
        cache.size(),
        cache.bytes(),
        cache.hits(),
        cache.misses(),
        cache.evictions(),
        bounces.made(),
        bounces.inUse(),
        unregistered.longBounces().bytes(),
        unregistered.longBounces().bytesInUse());
  }

  private void end(MeshMemory memory, Object keepAlive, Runnable onEnd) {
    memories.remove(memory);
    try {
      registrations.end(memory.registration(), memory.lengthBytes());
    } finally {
      Reference.reachabilityFence(keepAlive);
    }
    // Not where a device may still use the memory.
    try {
      onEnd.run();
    } catch (Throwable failure) {
      // The thread that ends the last use may be in a poll for other requests.
      LOG.error("{}: onEnd, which the program gave for its memory, failed", memory, failure);
    }
  }

  private static void requireRange(long address, long lengthBytes) {
    boolean isLength = lengthBytes >= 1 && lengthBytes <= Transport.MAX_MESSAGE_BYTES;
    if (address == 0 || !isLength || Long.compareUnsigned(address + lengthBytes - 1, address) < 0) {
      throw new IllegalArgumentException(
          String.format(
              "%d bytes at 0x%x cannot be registered: an address other than 0 and 1 to %d bytes"
                  + " within the address space can",
              lengthBytes, address, Transport.MAX_MESSAGE_BYTES));
    }
  }

  private static void requireRegistrable(List<ByteBuffer> segments) {
    if (segments.isEmpty()) {
      throw new IllegalArgumentException("no buffer given");
    }
    for (ByteBuffer segment : segments) {
      if (!segment.isDirect()) {
        throw new IllegalArgumentException(
            "a heap buffer of "
                + segment.capacity()
                + " bytes: a NIC needs memory that stays where it is; use ByteBuffer.allocateDirect");
      }
      if (segment.capacity() == 0) {
        throw new IllegalArgumentException("an empty buffer cannot be registered");
      }
      if (segment.isReadOnly()) {
        throw new IllegalArgumentException(
            "a read-only buffer of " + segment.capacity() + " bytes cannot be registered");
      }
    }
  }

  /**
   * Closes whatever the caller has not.
   *
   * @param leak what could not be closed is added to it
   */
  public void closeAll(Exception leak) {
    for (MeshMemory memory : List.copyOf(memories)) {
      try {
        memory.close();
      } catch (IllegalStateException e) {
        leak.addSuppressed(e);
      }
    }
    pool.close(leak);
  }
}
