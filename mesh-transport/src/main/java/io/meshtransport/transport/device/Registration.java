// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Some memory's regions, one on every NIC of a transport. Peers write messages into receives, so
 * each region can be written to with its key; memory that peers may read but not write by
 * themselves therefore has further regions, whose keys are the ones that peers get.
 *
 * <p>Made and ended by {@link Registrations}, which adds the regions of NICs that come later. Any
 * thread may call it; reading a region takes no lock.
 */
public final class Registration {
  private static final int ROOMS = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
  private static final MemoryRegion[] NONE = {};

  private final List<ByteBuffer> segments;
  private final Set<RemoteAccess> rights;

  /** By the index of the NIC; null where there is no such NIC. Replaced, never changed. */
  private volatile MemoryRegion[] regions = NONE;

  /** The regions whose keys peers are given: the same, others, or none. */
  private volatile MemoryRegion[] given = NONE;

  private boolean isEnded;

  public Registration(List<ByteBuffer> segments, Set<RemoteAccess> rights) {
    this.segments = List.copyOf(segments);
    this.rights = Set.copyOf(rights);
  }

  /** The region on a NIC of the transport, which has one on every NIC that is in use. */
  public MemoryRegion on(int nicIndex) {
    return regions[nicIndex];
  }

  /** The region on a NIC, or null if there is none. */
  public MemoryRegion regionOrNull(int nicIndex) {
    return regionOrNull(regions, nicIndex);
  }

  /** Whether there is a region on a NIC. */
  public boolean isOn(int nicIndex) {
    return regionOrNull(nicIndex) != null;
  }

  /** How many NICs a key of this memory must name. */
  public int nicCount() {
    return given.length;
  }

  /** The region whose key peers are given, or null if there is none on this NIC. */
  public MemoryRegion givenOn(int nicIndex) {
    return regionOrNull(given, nicIndex);
  }

  private static MemoryRegion regionOrNull(MemoryRegion[] some, int nicIndex) {
    return nicIndex < some.length ? some[nicIndex] : null;
  }

  /** Registers it with a NIC too, whole or not at all; does nothing where it is, or has ended. */
  synchronized void addTo(OpenNic nic) throws VerbsException {
    int index = nic.index();
    if (isEnded || isOn(index)) {
      return;
    }
    try (Rollback undo = new Rollback()) {
      boolean isPut = rights.contains(RemoteAccess.PUT);
      MemoryRegion mine =
          undo.on(nic.domain().register(segments, isPut ? ROOMS | readBit() : ROOMS));
      MemoryRegion theirs = isPut ? mine : null;
      if (!isPut && !rights.isEmpty()) {
        theirs = undo.on(nic.domain().register(segments, Access.REMOTE_READ));
      }
      undo.keepAll();
      regions = with(regions, index, mine);
      if (theirs != null) {
        given = with(given, index, theirs);
      }
    }
  }

  private int readBit() {
    return rights.contains(RemoteAccess.GET) ? Access.REMOTE_READ : 0;
  }

  private static MemoryRegion[] with(MemoryRegion[] some, int index, MemoryRegion region) {
    MemoryRegion[] more = Arrays.copyOf(some, Math.max(some.length, index + 1));
    more[index] = region;
    return more;
  }

  /**
   * Ends it on a NIC that nothing uses any more.
   *
   * @param leak what cannot be deregistered is added to it
   */
  synchronized void removeFrom(OpenNic nic, Throwable leak) {
    int index = nic.index();
    MemoryRegion mine = regionOrNull(regions, index);
    if (mine == null) {
      return;
    }
    MemoryRegion theirs = givenOn(index);
    regions = with(regions, index, null);
    if (theirs != null) {
      given = with(given, index, null);
    }
    close(mine, leak);
    if (theirs != mine) {
      close(theirs, leak);
    }
  }

  /**
   * Ends it on every NIC, whatever becomes of the others.
   *
   * @param leak what cannot be deregistered is added to it
   */
  synchronized void end(Throwable leak) {
    isEnded = true;
    for (int index = 0; index < regions.length; index++) {
      close(regions[index], leak);
      if (givenOn(index) != regions[index]) {
        close(givenOn(index), leak);
      }
    }
  }

  private static void close(MemoryRegion region, Throwable leak) {
    try {
      if (region != null) {
        region.close();
      }
    } catch (VerbsException e) {
      leak.addSuppressed(e);
    }
  }
}
