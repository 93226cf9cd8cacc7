package io.meshtransport.verbs;

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
 * <p>Polling and posting receives are critical calls, which leave out the step that lets the
 * collector stop the thread inside: they copy between rings in this process's memory, in less than
 * a microsecond, never call back into Java and wait for nobody but another thread in the same few
 * lines. Posting sends and asking for events are ordinary calls. Some drivers make a system call of
 * them, and Soft-RoCE's sends packets in it: milliseconds, in which the whole process would wait
 * for this thread to come to a safepoint.
 */
final class ForeignInlineVerbs implements InlineVerbs {
  private static final FunctionDescriptor POST =
      FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MAY_BLOCK_POST = handle(POST);
  private static final MethodHandle POST_RECEIVES = handle(POST, Linker.Option.critical(false));
  private static final MethodHandle POLL =
      handle(
          FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG),
          Linker.Option.critical(false));
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
  private static MethodHandle handle(FunctionDescriptor shape, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(shape, options);
  }

  @Override
  public int post_send(long queuePair, long firstRequest, long refusedAddress) {
    try {
      return (int) MAY_BLOCK_POST.invokeExact(postSend, queuePair, firstRequest, refusedAddress);
    } catch (Throwable e) {
      throw impossible("post_send", e);
    }
  }

  @Override
  public int post_recv(long queuePair, long firstRequest, long refusedAddress) {
    try {
      return (int) POST_RECEIVES.invokeExact(postRecv, queuePair, firstRequest, refusedAddress);
    } catch (Throwable e) {
      throw impossible("post_recv", e);
    }
  }

  @Override
  public int post_srq_recv(long sharedQueue, long firstRequest, long refusedAddress) {
    try {
      return (int)
          POST_RECEIVES.invokeExact(postSrqRecv, sharedQueue, firstRequest, refusedAddress);
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
