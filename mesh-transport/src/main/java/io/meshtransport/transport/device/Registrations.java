// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All registrations of one transport, each on every NIC: makes them, and extends them to NICs that
 * come later, before anything uses those. So whatever runs over a NIC finds every memory there. Any
 * thread may call it.
 */
public final class Registrations {
  private final Set<Registration> all = ConcurrentHashMap.newKeySet();

  /** Those that new memory is registered with. Replaced, never changed. */
  private volatile List<OpenNic> nics;

  public Registrations(List<OpenNic> nics) {
    this.nics = List.copyOf(nics);
  }

  /** Registers, whole or not at all. */
  public Registration make(List<ByteBuffer> segments, Set<RemoteAccess> rights)
      throws VerbsException {
    Registration made = new Registration(segments, rights);
    // From here on a NIC that comes registers it; one that came before is in the list.
    all.add(made);
    List<OpenNic> covered = List.of();
    while (covered != nics) {
      List<OpenNic> before = covered;
      covered = nics;
      try {
        cover(made, before, covered);
      } catch (VerbsException | RuntimeException | Error e) {
        if (covered == nics) {
          all.remove(made);
          made.end(e);
          throw e;
        }
        // Of a NIC that went away meanwhile, perhaps: those that are there now count.
      }
    }
    return made;
  }

  private static void cover(Registration made, List<OpenNic> before, List<OpenNic> now)
      throws VerbsException {
    VerbsException ignored = new VerbsException(Errno.ENODEV, "of a NIC that went away");
    before.stream().filter(nic -> !now.contains(nic)).forEach(nic -> made.removeFrom(nic, ignored));
    for (OpenNic nic : now) {
      made.addTo(nic);
    }
  }

  /**
   * Ends one on every NIC.
   *
   * @throws IllegalStateException if some cannot be deregistered
   */
  public void end(Registration registration, long lengthBytes) {
    IllegalStateException leak =
        new IllegalStateException("memory of " + lengthBytes + " bytes cannot be deregistered");
    all.remove(registration);
    registration.end(leak);
    if (leak.getSuppressed().length > 0) {
      throw leak;
    }
  }

  /**
   * Registers all memory with a NIC that is to be used, and from now on what is new.
   *
   * @throws VerbsException if there is memory that cannot be registered with it; then none is
   */
  void addNic(OpenNic nic) throws VerbsException {
    List<OpenNic> more = new ArrayList<>(nics);
    more.add(nic);
    nics = List.copyOf(more);
    try {
      for (Registration registration : all) {
        registration.addTo(nic);
      }
    } catch (VerbsException | RuntimeException | Error e) {
      removeNic(nic);
      removeNic(nic, e);
      throw e;
    }
  }

  /** New memory is not registered with it any more. */
  void removeNic(OpenNic nic) {
    nics = nics.stream().filter(each -> each != nic).toList();
  }

  /**
   * Ends all that is registered with a NIC, after {@link #removeNic}, when nothing uses it any
   * more.
   *
   * @param leak what cannot be deregistered is added to it
   */
  void removeNic(OpenNic nic, Throwable leak) {
    all.forEach(registration -> registration.removeFrom(nic, leak));
  }
}
