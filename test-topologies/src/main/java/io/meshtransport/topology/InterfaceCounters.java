// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

/**
 * What went through one interface of a node since it was made.
 *
 * @param name of the interface
 * @param receivedBytes with the headers of Ethernet, as the kernel counts them
 * @param sentBytes likewise
 */
public record InterfaceCounters(String name, long receivedBytes, long sentBytes) {}
