// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.config.MeshConfig;

/**
 * How much memory a transport keeps registered by itself.
 *
 * @param poolBytes max unused memory that is kept for later allocations
 * @param cacheBytes max memory of unregistered buffers whose registrations are cached
 * @param cacheEntries max number of such buffers
 * @param bounceBytes max length of a buffer that is copied instead
 * @param bounceBuffers max number of copies at once
 * @param longBounceBytes max bytes at once of longer copies, of buffers that cannot be registered
 */
public record MemorySettings(
    long poolBytes,
    long cacheBytes,
    int cacheEntries,
    int bounceBytes,
    int bounceBuffers,
    long longBounceBytes) {
  private static final int MIB_BITS = 20;

  /** Max cached registrations: devices limit the number of regions. */
  private static final int CACHE_ENTRIES = 1024;

  /** Max bounce buffers of a transport, 4 MiB of them at the default size. */
  private static final int BOUNCE_BUFFERS = 256;

  /**
   * Max bytes of long copies: a few messages of tens of MiB on the way, in an eighth of a heap of 2
   * GiB, which is also what direct memory may have by default.
   */
  private static final long LONG_BOUNCE_BYTES = 256L << MIB_BITS;

  public static MemorySettings of(MeshConfig config) {
    return new MemorySettings(
        (long) config.poolMib() << MIB_BITS,
        (long) config.cacheMib() << MIB_BITS,
        CACHE_ENTRIES,
        config.bounceBytes(),
        BOUNCE_BUFFERS,
        LONG_BOUNCE_BYTES);
  }
}
