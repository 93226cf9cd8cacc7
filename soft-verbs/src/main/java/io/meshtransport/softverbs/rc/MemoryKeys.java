// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.random.RandomGenerator;

/**
 * The memory keys of a device. Each region has two, both random: one for the work requests posted
 * here, and one for peers, who learn nothing from it about any other. A key of a closed region
 * finds nothing, rather than another region. Guarded by the device's lock.
 */
final class MemoryKeys {
  private final KeyTable local;
  private final KeyTable remote;

  MemoryKeys(RandomGenerator random) {
    local = new KeyTable(random);
    remote = new KeyTable(random);
  }

  void add(SoftMemoryRegion region) throws VerbsException {
    if (local.used() == SoftLimits.MAX_MEMORY_REGIONS) {
      throw new VerbsException(
          Errno.ENOMEM,
          "all "
              + local.used()
              + " memory regions of the device are in use; close some that are not needed");
    }
    region.keys(local.add(region), remote.add(region));
  }

  void remove(SoftMemoryRegion region) {
    local.remove(region.localKey());
    remote.remove(region.remoteKey());
  }

  /**
   * The region of a local key if it exists, belongs to the domain and permits the access; or null.
   */
  SoftMemoryRegion findLocal(
      int key, SoftProtectionDomain domain, long address, long bytes, int access) {
    return permitted(local.find(key), domain, address, bytes, access);
  }

  /** As {@link #findLocal}, of a key that a peer names. */
  SoftMemoryRegion findRemote(
      int key, SoftProtectionDomain domain, long address, long bytes, int access) {
    return permitted(remote.find(key), domain, address, bytes, access);
  }

  private static SoftMemoryRegion permitted(
      SoftMemoryRegion region, SoftProtectionDomain domain, long address, long bytes, int access) {
    return region != null && region.domain() == domain && region.permits(address, bytes, access)
        ? region
        : null;
  }
}
