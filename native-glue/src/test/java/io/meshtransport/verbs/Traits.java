package io.meshtransport.verbs;

import java.util.Set;

/**
 * Where providers differ and may.
 *
 * @param forbiddenByQueuePair what a requester hears when the peer's queue pair, not its memory,
 *     lacks the right
 * @param refusesUnalignedAtomicAtPost rxe answers EINVAL at once; others let the peer refuse
 * @param exactDepths whether queues hold exactly what was asked; rxe rounds up
 */
public record Traits(
    Set<CompletionStatus> forbiddenByQueuePair,
    boolean refusesUnalignedAtomicAtPost,
    boolean exactDepths) {}
