// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import io.meshtransport.nic.PortState;

/**
 * State and limits of a port (struct ibv_port_attr).
 *
 * @param state ACTIVE where it can be used
 * @param maxMtuBytes largest payload of a packet the port could be set to
 * @param activeMtuBytes largest payload of a packet now
 * @param gidTableLength rows, valid or not
 * @param maxMessageBytes largest message of one work request; longer ones must be cut
 * @param link what it is plugged into
 */
public record PortAttributes(
    PortState state,
    int maxMtuBytes,
    int activeMtuBytes,
    int gidTableLength,
    long maxMessageBytes,
    PortLink link) {}
