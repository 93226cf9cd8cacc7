// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs: queue pairs, completion queues and memory regions as Java interfaces, in the field's
 * own terms (rdma-core's {@code ibv_*} man pages, InfiniBand Architecture Specification 1.4
 * chapters 9 to 11). This is the only interface to RDMA hardware: a {@link
 * io.meshtransport.verbs.VerbsProvider} drives libibverbs or does the same in software, and one
 * contract-test suite checks both for the same behaviour.
 *
 * <p>Set-up calls may allocate, wait and throw {@link io.meshtransport.verbs.VerbsException}. The
 * data path ({@code postSend}, {@code postReceive}, {@code poll}, {@code requestNotify}) allocates
 * nothing, throws nothing and returns numbers.
 *
 * <p>Objects are closed children before parents; closing a parent with living children is refused,
 * closing twice is harmless.
 *
 * <p>The transport needs RC queue pairs, completion queues and channels, regions of host memory and
 * the queries. The package has more than that, so that programs can use the verbs by themselves and
 * that its coverage can be compared with pyverbs (docs/VERBS-COVERAGE.md): UD and UC queue pairs,
 * address handles ({@link io.meshtransport.verbs.AddressHandle}), shared receive queues ({@link
 * io.meshtransport.verbs.SharedReceiveQueue}), atomics, memory of other devices by dma-buf ({@link
 * io.meshtransport.verbs.ProtectionDomain#registerDmaBuf}), resizing of queues, fork safety ({@link
 * io.meshtransport.verbs.ForkSafety}) and the order of written bytes ({@link
 * io.meshtransport.verbs.QueuePair#seesWritesInOrder}). They have contract tests like the rest, and
 * a provider that does not support one of them fails with EOPNOTSUPP.
 */
package io.meshtransport.verbs;
