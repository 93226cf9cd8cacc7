// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Which device it is (struct ibv_device_attr).
 *
 * @param nodeGuid of the device, 0 if it has none
 * @param systemImageGuid of the box it sits in, the same for all its devices; 0 if it has none
 * @param vendorId IEEE number of the maker, 0 if unknown
 * @param vendorPartId the maker's number of the model
 * @param hardwareVersion the maker's number of the revision
 * @param ports number of its ports; they count from 1
 */
public record DeviceIdentity(
    long nodeGuid,
    long systemImageGuid,
    int vendorId,
    int vendorPartId,
    int hardwareVersion,
    int ports) {}
