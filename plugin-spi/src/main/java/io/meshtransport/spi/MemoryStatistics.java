// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * The memory that a transport has registered now, and how effective its cache is. Values are read
 * one by one, not at one instant: other threads may register and send meanwhile.
 *
 * @param memories number of registrations: registered and allocated memory, cached buffers, bounce
 *     buffers
 * @param bytes registered bytes, of all of them together
 * @param idlePoolBytes bytes of the pool of {@link Transport#allocate} that are not in use; at most
 *     MESH_POOL_MIB
 * @param cachedBuffers number of unregistered buffers whose registrations are cached; at most 1024
 * @param cachedBytes bytes of those buffers; at most MESH_CACHE_MIB
 * @param cacheHits requests with an unregistered buffer whose registration was cached
 * @param cacheMisses requests with an unregistered buffer that had to be registered
 * @param cacheEvictions cached registrations that were removed to make others
 * @param bounceBuffers number of bounce buffers, which are created when needed; at most 256
 * @param bounceBuffersInUse number of bounce buffers that outstanding requests use
 * @param longBounceBytes bytes of the bounce buffers for long messages on the heap, in use or kept
 *     for the next; of the latter at most MESH_POOL_MIB
 * @param longBounceBytesInUse bytes of those that outstanding requests use
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
    int bounceBuffersInUse,
    long longBounceBytes,
    long longBounceBytesInUse) {}
