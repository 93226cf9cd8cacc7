// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What a transport has registered, as it is now, and how well its cache does. Numbers of one moment
 * each: others may register and send meanwhile.
 *
 * @param memories registered, allocated and cached ones, and bounce buffers
 * @param bytes of all of them
 * @param idlePoolBytes kept for {@link Transport#allocate}, beyond those in use (MESH_POOL_MIB)
 * @param cachedBuffers unregistered buffers that are kept registered (MESH_CACHE_ENTRIES)
 * @param cachedBytes of them (MESH_CACHE_MIB)
 * @param cacheHits requests with an unregistered buffer that was registered already
 * @param cacheMisses those for which it had to be registered
 * @param cacheEvictions registrations given up so that others could be made
 * @param bounceBuffers made so far (MESH_BOUNCE_BUFFERS)
 * @param bounceBuffersInUse of requests outstanding
 */
public record MemoryStatistics(
    int memories,
    long bytes,
    long idlePoolBytes,
    int cachedBuffers,
    long cachedBytes,
    long cacheHits,
    long cacheMisses,
    long cacheEvictions,
    int bounceBuffers,
    int bounceBuffersInUse) {}
