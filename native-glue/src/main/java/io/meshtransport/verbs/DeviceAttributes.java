// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Limits of a device (struct ibv_device_attr).
 *
 * @param firmwareVersion as the driver reports it, may be empty
 * @param maxQueuePairs of the device
 * @param maxQueuePairDepth work requests outstanding in one send or receive queue
 * @param maxSges scatter/gather entries of one work request
 * @param maxCompletionQueueDepth entries of one completion queue
 * @param maxMemoryRegions of the device
 * @param maxMemoryRegionBytes of one region
 * @param maxReadAtomic RDMA reads and atomics of a peer outstanding on one queue pair as responder
 * @param maxInitiatedReadAtomic the same as initiator
 * @param identity which device it is
 * @param objects limits of further kinds of objects
 */
public record DeviceAttributes(
    String firmwareVersion,
    int maxQueuePairs,
    int maxQueuePairDepth,
    int maxSges,
    int maxCompletionQueueDepth,
    int maxMemoryRegions,
    long maxMemoryRegionBytes,
    int maxReadAtomic,
    int maxInitiatedReadAtomic,
    DeviceIdentity identity,
    ObjectLimits objects) {}
