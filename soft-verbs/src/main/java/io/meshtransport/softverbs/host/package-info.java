// SPDX-License-Identifier: Apache-2.0
/**
 * What the own host reports: addresses and state of the interface that a device stands for ({@link
 * io.meshtransport.softverbs.host.DevicePort}), and what the kernel knows of a TCP connection
 * ({@link io.meshtransport.softverbs.host.TcpAckState}). Uses nothing of the other packages.
 *
 * <p>Tests: {@code NetdevPortTest}, {@code ProcNetTcpTest}.
 */
package io.meshtransport.softverbs.host;
