// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.Objects;
import java.util.Optional;

/**
 * The attributes in force on a queue pair, as the device reports them (ibv_query_qp). Attributes
 * that the type's transitions do not set are empty or 0. A device may have changed the values that
 * it was given: the kernel chooses the hop limit of RoCE, and Soft-RoCE rounds numbers of reads up
 * to powers of two and drops the service level.
 *
 * @param state now
 * @param capabilities sizes granted
 * @param initial since INIT: port, partition, access and queue key
 * @param receiving since RTR, on RC and UC: the path and the peer. The PSN is the next one expected
 *     on devices that count in place, such as Soft-RoCE, else the first
 * @param sending since RTS, on RC: timeouts and reads. The PSN likewise
 * @param sendPsn since RTS, on all types
 */
public record QueuePairAttributes(
    QueuePairState state,
    QueuePairCapabilities capabilities,
    Optional<InitAttributes> initial,
    Optional<ReadyToReceiveAttributes> receiving,
    Optional<ReadyToSendAttributes> sending,
    int sendPsn) {
  public QueuePairAttributes {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(capabilities, "capabilities");
    Objects.requireNonNull(initial, "initial");
    Objects.requireNonNull(receiving, "receiving");
    Objects.requireNonNull(sending, "sending");
  }
}
