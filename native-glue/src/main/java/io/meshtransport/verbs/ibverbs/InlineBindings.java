// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The bindings of {@link InlineVerbs}, one for each set of addresses: as many as there are drivers
 * in use. Never released. Any thread.
 */
final class InlineBindings {
  private static final Map<String, Integer> OFFSETS =
      Map.of(
          "post_send", Layout.Context.OPS_POST_SEND,
          "post_recv", Layout.Context.OPS_POST_RECV,
          "post_srq_recv", Layout.Context.OPS_POST_SRQ_RECV,
          "poll_cq", Layout.Context.OPS_POLL_CQ,
          "req_notify_cq", Layout.Context.OPS_REQ_NOTIFY_CQ);

  private final String library;
  private final Map<Map<String, Long>, InlineVerbs> bound = new ConcurrentHashMap<>();

  /**
   * @param library the name the drivers' own library was loaded by
   */
  InlineBindings(String library) {
    this.library = library;
  }

  /** The functions of an opened device. */
  InlineVerbs of(long context) {
    return bound.computeIfAbsent(addresses(context), this::bind);
  }

  /** Function addresses by name, from a context. */
  static Map<String, Long> addresses(long context) {
    Map<String, Long> addresses = new LinkedHashMap<>();
    OFFSETS.forEach((name, offset) -> addresses.put(name, new Pointer(context).getLong(offset)));
    return addresses;
  }

  private InlineVerbs bind(Map<String, Long> addresses) {
    return InlineBinding.of(library, addresses);
  }
}
