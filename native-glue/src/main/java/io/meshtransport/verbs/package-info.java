// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs: queue pairs, completion queues and memory regions as Java interfaces, in the field's
 * own terms (rdma-core's {@code ibv_*} man pages, InfiniBand Architecture Specification 1.4
 * chapters 9 to 11). This is the whole border to RDMA hardware: a {@link
 * io.meshtransport.verbs.VerbsProvider} behind it drives libibverbs or does the same in software,
 * and one contract-test suite holds both to the same behaviour.
 *
 * <p>Set-up calls may allocate, wait and throw {@link io.meshtransport.verbs.VerbsException}. The
 * data path ({@code postSend}, {@code postReceive}, {@code poll}, {@code requestNotify}) allocates
 * nothing, throws nothing and answers in numbers.
 *
 * <p>Objects are closed children before parents; closing a parent with living children is refused,
 * closing twice is harmless.
 */
package io.meshtransport.verbs;
