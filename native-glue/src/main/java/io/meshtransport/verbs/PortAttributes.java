// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import io.meshtransport.nic.PortState;

/**
 * State and limits of a port (struct ibv_port_attr).
 *
 * @param state ACTIVE where it can be used
 * @param maxMtuBytes max payload of a packet that the port supports
 * @param activeMtuBytes max payload of a packet now
 * @param gidTableLength rows, valid or not
 * @param maxMessageBytes max message of one work request; longer ones must be cut
 * @param link the physical link
 */
public record PortAttributes(
    PortState state,
    int maxMtuBytes,
    int activeMtuBytes,
    int gidTableLength,
    long maxMessageBytes,
    PortLink link) {}
