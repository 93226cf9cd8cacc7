// SPDX-License-Identifier: Apache-2.0
/**
 * The NICs of this host, open: {@link io.meshtransport.transport.device.LocalNics} follows the
 * host, {@link io.meshtransport.transport.device.OpenNic} is one device with its protection domain,
 * what is registered there, what it reports of itself and how things are taken away from it.
 *
 * <p>Below everything that uses a NIC; uses the verbs and discovery, and nothing of this module.
 * {@code LocalNicsTest} plays hosts that change, {@code HostWatchTest} the thread that scans them,
 * {@code DeviceEventsTest} and {@code ControlMemoryTest} the rest.
 */
package io.meshtransport.transport.device;
