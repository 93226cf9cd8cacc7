// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;

/**
 * How much memory a transport keeps registered by itself, from the configuration.
 *
 * @param poolBytes idle memory kept for the next allocation
 * @param cacheBytes memory of unregistered buffers that stays registered
 * @param cacheEntries how many such buffers
 * @param bounceBytes up to this size they are copied instead
 * @param bounceBuffers how many copies at once
 */
record MemorySettings(
    long poolBytes, long cacheBytes, int cacheEntries, int bounceBytes, int bounceBuffers) {
  private static final int MIB_BITS = 20;

  static MemorySettings of(MeshConfig config) {
    return new MemorySettings(
        (long) config.poolMib() << MIB_BITS,
        (long) config.cacheMib() << MIB_BITS,
        config.cacheEntries(),
        config.bounceBytes(),
        config.bounceBuffers());
  }
}
