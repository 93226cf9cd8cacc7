package io.meshtransport.transport;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Some memory's regions, one on every NIC of a transport. Messages are written into rooms, so each
 * region can be written to by whoever has its key; memory that peers may read but not write by
 * themselves therefore has regions of their own for the keys that peers are given.
 *
 * @param regions by the index of the NIC
 * @param given the regions whose keys peers are given: the same, others, or none
 */
record Registration(List<MemoryRegion> regions, List<MemoryRegion> given) {
  private static final int ROOMS = Access.LOCAL_WRITE | Access.REMOTE_WRITE;

  /** Registers, whole or not at all. */
  static Registration of(List<OpenNic> nics, List<ByteBuffer> segments, Set<RemoteAccess> rights)
      throws VerbsException {
    try (Undo undo = new Undo()) {
      Registration made;
      if (rights.isEmpty()) {
        made = new Registration(on(nics, segments, ROOMS, undo), List.of());
      } else if (rights.contains(RemoteAccess.PUT)) {
        List<MemoryRegion> all = on(nics, segments, ROOMS | readBit(rights), undo);
        made = new Registration(all, all);
      } else {
        made =
            new Registration(
                on(nics, segments, ROOMS, undo), on(nics, segments, Access.REMOTE_READ, undo));
      }
      undo.keepAll();
      return made;
    }
  }

  private static int readBit(Set<RemoteAccess> rights) {
    return rights.contains(RemoteAccess.GET) ? Access.REMOTE_READ : 0;
  }

  private static List<MemoryRegion> on(
      List<OpenNic> nics, List<ByteBuffer> segments, int access, Undo undo) throws VerbsException {
    MemoryRegion[] regions = new MemoryRegion[nics.size()];
    for (OpenNic nic : nics) {
      regions[nic.index()] = undo.on(nic.domain().register(segments, access));
    }
    return List.of(regions);
  }

  /**
   * Ends it on every NIC, whatever becomes of the others.
   *
   * @throws IllegalStateException if some cannot be deregistered
   */
  void end(long lengthBytes) {
    IllegalStateException leak =
        new IllegalStateException("memory of " + lengthBytes + " bytes cannot be deregistered");
    end(regions, leak);
    if (given != regions) {
      end(given, leak);
    }
    if (leak.getSuppressed().length > 0) {
      throw leak;
    }
  }

  private static void end(List<MemoryRegion> some, Exception leak) {
    for (MemoryRegion region : some) {
      try {
        region.close();
      } catch (VerbsException e) {
        leak.addSuppressed(e);
      }
    }
  }
}
