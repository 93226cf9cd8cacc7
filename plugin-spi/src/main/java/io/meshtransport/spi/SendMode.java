// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What a sending channel optimizes for: how many messages share one acknowledgement, and whether a
 * short message may wait to be coalesced with the next ones. The order, the content and the
 * deadlines of messages are the same in every mode.
 *
 * <p>A send with a deadline is acknowledged on its own in every mode, and so is every message of a
 * one-way channel with several rails, or to a C plugin (MESH_COMPAT=nccl-mesh). Coalescing exists
 * only where sending costs a system call, that is in software: there a short message may wait while
 * others are in flight and this process keeps polling, for a few milliseconds if it does not come
 * back to poll. A message with nothing else in flight leaves at once in every mode but {@link
 * #BATCH}.
 */
public enum SendMode {
  /**
   * Each message is acknowledged on its own. For senders that wait for each message; a new channel
   * has this mode.
   */
  LATENCY,

  /**
   * One message in sixteen is acknowledged, which completes those before it (selective signaling);
   * a send that is tested, awaited or detached while it is incomplete requests an acknowledgement,
   * and a {@link Poller} requests one every 5 ms while it must. A message then costs no answer. For
   * senders that have many messages in flight and test them seldom, to get their memory back; at a
   * poller for those that have more than sixteen, since others wait for it.
   */
  STREAM,

  /**
   * Acknowledged as in {@link #STREAM}, and every short message may wait, one that is alone too:
   * until the next poll of this process that finds nothing, or until a thread of ours looks, a few
   * milliseconds later. While nobody polls, each leaves at once. For event loops, which send
   * several messages between two polls, and for threads whose messages are answered by one.
   */
  BATCH,

  /**
   * Acknowledged as in {@link #STREAM}, and never coalesced: each message leaves with the call that
   * sends it. For threads that send and do not come back to poll.
   */
  FIRE_AND_FORGET
}
