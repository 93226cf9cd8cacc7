// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/**
 * The verbs of the data path. The C header calls them through pointers in {@code ibv_context.ops},
 * since each adapter's driver has its own; {@link InlineBindings} binds one copy for each set of
 * pointers. Answers as in {@link ExportedVerbs}; poll_cq answers a count or a negative number.
 */
interface InlineVerbs {
  int post_send(long queuePair, long firstRequest, long refusedAddress);

  int post_recv(long queuePair, long firstRequest, long refusedAddress);

  int post_srq_recv(long sharedQueue, long firstRequest, long refusedAddress);

  int poll_cq(long queue, int most, long completions);

  int req_notify_cq(long queue, int solicitedOnly);

  /** Copied and bound by {@link DirectBinding}. */
  final class Bound implements InlineVerbs {
    @Override
    public native int post_send(long queuePair, long firstRequest, long refusedAddress);

    @Override
    public native int post_recv(long queuePair, long firstRequest, long refusedAddress);

    @Override
    public native int post_srq_recv(long sharedQueue, long firstRequest, long refusedAddress);

    @Override
    public native int poll_cq(long queue, int most, long completions);

    @Override
    public native int req_notify_cq(long queue, int solicitedOnly);
  }
}
