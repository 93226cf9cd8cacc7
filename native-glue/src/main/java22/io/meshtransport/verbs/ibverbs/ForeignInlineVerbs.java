// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/**
 * The verbs of the data path as foreign calls, 3 to 5 ns each. One handle serves all drivers: the
 * function's address is its first argument. Any thread.
 *
 * <p>All are ordinary calls, in which the collector can stop the thread. Critical calls save 1 to 2
 * ns, and while one runs, the whole process waits for this thread to come to a safepoint. They are
 * for functions that cannot take long; which driver is below is not known, and some make a system
 * call: Soft-RoCE sends packets in one when it posts, hns brings its queue pair to ERR in one when
 * it polls a completion with an error.
 */
final class ForeignInlineVerbs implements InlineVerbs {
  private static final FunctionDescriptor POST =
      FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle POST_CHAIN = handle(POST);
  private static final MethodHandle POLL =
      handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
  private static final MethodHandle NOTIFY =
      handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

  private final MemorySegment postSend;
  private final MemorySegment postRecv;
  private final MemorySegment postSrqRecv;
  private final MemorySegment pollCq;
  private final MemorySegment reqNotifyCq;

  /**
   * @param addresses of functions, by the names that {@link InlineVerbs} gives them
   */
  ForeignInlineVerbs(Map<String, Long> addresses) {
    postSend = MemorySegment.ofAddress(addresses.get("post_send"));
    postRecv = MemorySegment.ofAddress(addresses.get("post_recv"));
    postSrqRecv = MemorySegment.ofAddress(addresses.get("post_srq_recv"));
    pollCq = MemorySegment.ofAddress(addresses.get("poll_cq"));
    reqNotifyCq = MemorySegment.ofAddress(addresses.get("req_notify_cq"));
  }

  /** The shapes are those of verbs.h, and the addresses are the driver's own. */
  @SuppressWarnings("restricted")
  private static MethodHandle handle(FunctionDescriptor shape) {
    return Linker.nativeLinker().downcallHandle(shape);
  }

  @Override
  public int post_send(long queuePair, long firstRequest, long refusedAddress) {
    try {
      return (int) POST_CHAIN.invokeExact(postSend, queuePair, firstRequest, refusedAddress);
    } catch (Throwable e) {
      throw impossible("post_send", e);
    }
  }

  @Override
  public int post_recv(long queuePair, long firstRequest, long refusedAddress) {
    try {
      return (int) POST_CHAIN.invokeExact(postRecv, queuePair, firstRequest, refusedAddress);
    } catch (Throwable e) {
      throw impossible("post_recv", e);
    }
  }

  @Override
  public int post_srq_recv(long sharedQueue, long firstRequest, long refusedAddress) {
    try {
      return (int) POST_CHAIN.invokeExact(postSrqRecv, sharedQueue, firstRequest, refusedAddress);
    } catch (Throwable e) {
      throw impossible("post_srq_recv", e);
    }
  }

  @Override
  public int poll_cq(long queue, int most, long completions) {
    try {
      return (int) POLL.invokeExact(pollCq, queue, most, completions);
    } catch (Throwable e) {
      throw impossible("poll_cq", e);
    }
  }

  @Override
  public int req_notify_cq(long queue, int solicitedOnly) {
    try {
      return (int) NOTIFY.invokeExact(reqNotifyCq, queue, solicitedOnly);
    } catch (Throwable e) {
      throw impossible("req_notify_cq", e);
    }
  }

  /** A handle's type says Throwable; a function of C throws none. */
  private static AssertionError impossible(String call, Throwable thrown) {
    return new AssertionError(call + " cannot be called", thrown);
  }
}
