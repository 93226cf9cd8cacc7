// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Max objects of each kind on a device, and max sizes of the smaller kinds (struct
 * ibv_device_attr). 0 if the device does not support the kind.
 *
 * @param completionQueues of the device
 * @param protectionDomains of the device
 * @param addressHandles of the device
 * @param sharedReceiveQueues of the device
 * @param sharedReceiveDepth receives of one shared receive queue
 * @param sharedReceiveSges scatter/gather entries of a receive in one
 * @param readSges scatter/gather entries of an RDMA read
 * @param partitions rows of a port's partition table
 * @param pageSizes sizes of pages it can map, as a mask: bit 12 is 4096 bytes
 * @param atomics whether atomics are atomic, and with respect to whom
 */
public record ObjectLimits(
    int completionQueues,
    int protectionDomains,
    int addressHandles,
    int sharedReceiveQueues,
    int sharedReceiveDepth,
    int sharedReceiveSges,
    int readSges,
    int partitions,
    long pageSizes,
    AtomicScope atomics) {}
