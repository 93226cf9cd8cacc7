// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MeshMemory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a program registers with a transport: each call ends with memory of a transport that is
 * open, or with none. Any thread may call it.
 */
final class ProgramMemory {
  private final MemoryRegistry memories;
  private final SingleClose closing;

  ProgramMemory(MemoryRegistry memories, SingleClose closing) {
    this.memories = memories;
    this.closing = closing;
  }

  /** As {@link io.meshtransport.spi.Transport#register(List, Set)}. */
  MeshMemory register(List<ByteBuffer> segments, Set<RemoteAccess> access)
      throws TransportException {
    closing.requireOpen();
    return stillOpen(memories.register(segments, access));
  }

  /** As {@link io.meshtransport.spi.Transport#register(long, long, Set, Object, Runnable)}. */
  MeshMemory register(
      long address, long lengthBytes, Set<RemoteAccess> access, Object keepAlive, Runnable onEnd)
      throws TransportException {
    closing.requireOpen();
    Objects.requireNonNull(onEnd, "onEnd");
    // Once the memory has ended and this method has returned it, whichever is later: it may end at
    // any moment by a close of the transport, and then this method throws.
    AtomicInteger missing = new AtomicInteger(2);
    Runnable end =
        () -> {
          if (missing.decrementAndGet() == 0) {
            onEnd.run();
          }
        };
    MeshMemory memory = stillOpen(memories.register(address, lengthBytes, access, keepAlive, end));
    end.run();
    return memory;
  }

  /** As {@link io.meshtransport.spi.Transport#allocate}. */
  MeshMemory allocate(long lengthBytes, Set<RemoteAccess> access) throws TransportException {
    closing.requireOpen();
    return stillOpen(memories.allocate(lengthBytes, access));
  }

  private MeshMemory stillOpen(MeshMemory memory) throws TransportException {
    if (closing.isClosed()) {
      memory.close();
      closing.requireOpen();
    }
    return memory;
  }
}
