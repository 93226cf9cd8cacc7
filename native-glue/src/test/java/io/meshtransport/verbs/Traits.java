// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where providers differ and may.
 *
 * @param forbiddenByQueuePair a requester's status when the peer's queue pair, not its memory,
 *     lacks the right
 * @param differences all others, each with its reason
 */
public record Traits(Set<CompletionStatus> forbiddenByQueuePair, Set<Difference> differences) {
  /** One way in which a provider is unlike others. */
  public enum Difference {
    /** Soft: TCP reports the end of the peer's queue pair. Adapters notice at their next send. */
    NOTICES_THE_PEERS_END,

    /**
     * Soft: queues have exactly the requested depth. Adapters and rxe round up to a power of two.
     */
    EXACT_DEPTHS,

    /** rxe: an atomic across words is EINVAL at the post. Others let the peer refuse it. */
    REFUSES_UNALIGNED_ATOMIC_AT_POST,

    /**
     * rxe: local memory that a work request may not use is LOC_QP_OP_ERR, and REM_OP_ERR at the
     * peer, where the specification has LOC_PROT_ERR for a key, LOC_LEN_ERR for a receive that is
     * too short and REM_INV_REQ_ERR for its peer (InfiniBand 1.4 section 10.10.3).
     */
    CALLS_BAD_LOCAL_MEMORY_AN_OPERATION_ERROR,

    /**
     * rxe of Linux 6.1: no COMM_EST, and no QP_ACCESS_ERR at a peer whose memory was refused. The
     * specification requires both (section 11.6.3).
     */
    RAISES_NO_QUEUE_PAIR_EVENTS
  }

  /** Software queue pairs. */
  public static Traits ofSoft() {
    return new Traits(
        Set.of(CompletionStatus.REM_INV_REQ_ERR),
        EnumSet.of(Difference.NOTICES_THE_PEERS_END, Difference.EXACT_DEPTHS));
  }

  /** Soft-RoCE, measured on Linux 6.1. */
  public static Traits ofRxe() {
    return new Traits(
        Set.of(CompletionStatus.REM_INV_REQ_ERR),
        EnumSet.of(
            Difference.REFUSES_UNALIGNED_ATOMIC_AT_POST,
            Difference.CALLS_BAD_LOCAL_MEMORY_AN_OPERATION_ERROR,
            Difference.RAISES_NO_QUEUE_PAIR_EVENTS));
  }

  /** What the specification says of adapters; not yet met by this suite. */
  public static Traits ofAdapter() {
    return new Traits(
        Set.of(CompletionStatus.REM_INV_REQ_ERR, CompletionStatus.REM_ACCESS_ERR),
        EnumSet.noneOf(Difference.class));
  }

  public boolean has(Difference difference) {
    return differences.contains(difference);
  }

  /** Status of a request whose local key is foreign. */
  CompletionStatus foreignLocalKey() {
    return has(Difference.CALLS_BAD_LOCAL_MEMORY_AN_OPERATION_ERROR)
        ? CompletionStatus.LOC_QP_OP_ERR
        : CompletionStatus.LOC_PROT_ERR;
  }

  /** Status of a receive that is too short for its message. */
  CompletionStatus shortReceive() {
    return has(Difference.CALLS_BAD_LOCAL_MEMORY_AN_OPERATION_ERROR)
        ? CompletionStatus.LOC_QP_OP_ERR
        : CompletionStatus.LOC_LEN_ERR;
  }

  /** Status of a send that is too long for its receive. */
  CompletionStatus longMessage() {
    return has(Difference.CALLS_BAD_LOCAL_MEMORY_AN_OPERATION_ERROR)
        ? CompletionStatus.REM_OP_ERR
        : CompletionStatus.REM_INV_REQ_ERR;
  }
}
