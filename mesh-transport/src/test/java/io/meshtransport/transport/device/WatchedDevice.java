// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * A device that behaves as the one below it, writes down what is done to its queue pairs and
 * memory, and reports and refuses what a test tells it to. Confined to the test's thread, or to one
 * at a time.
 */
public final class WatchedDevice {
  /**
   * A call of one of the objects made from the device.
   *
   * @param argument the first; of a chain, how many requests it had
   */
  public record Call(Object of, String method, Object argument) {
    @Override
    public String toString() {
      return method;
    }
  }

  private final VerbsDevice below;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final List<Integer> begun = new ArrayList<>();
  private final Queue<AsyncEvent> events = new ArrayDeque<>();

  /** The device knows its own completion channels only. */
  private final Map<Object, Object> realOf = new IdentityHashMap<>();

  private String refused = "";
  private volatile CountDownLatch released;
  private volatile boolean isClosed;
  private boolean hasNoInline;
  private List<GidEntry> gidTable = List.of();
  private int gidTableReads;
  private int activeMtuBytes;
  private long maxMessageBytes;

  public WatchedDevice(VerbsDevice below) {
    this.below = below;
  }

  /** What the transport is to open. */
  public VerbsDevice device() {
    return watch(
        VerbsDevice.class,
        below,
        (method, result) ->
            switch (method) {
              case "allocateProtectionDomain" -> domain((ProtectionDomain) result);
              case "createCompletionChannel" -> channel(result);
              case "returnsAtOnce" -> released == null;
              case "close" -> isClosed = true;
              case "pollAsyncEvent" -> Optional.ofNullable(events.poll());
              case "gidTable" -> gidTableNow(result);
              case "queryPort" -> changed((PortAttributes) result);
              default -> result;
            });
  }

  private Object gidTableNow(Object real) {
    gidTableReads++;
    return gidTable.isEmpty() ? real : gidTable;
  }

  /** How often its GID table was read. */
  int gidTableReads() {
    return gidTableReads;
  }

  private CompletionChannel channel(Object real) {
    CompletionChannel watched = watch(CompletionChannel.class, real, (any, same) -> same);
    realOf.put(watched, real);
    return watched;
  }

  private SendChain chain(Object real) {
    SendChain chain = (SendChain) real;
    SendChain watched =
        (SendChain)
            Proxy.newProxyInstance(
                SendChain.class.getClassLoader(),
                new Class<?>[] {SendChain.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("begin")) {
                    begun.add((Integer) arguments[2]);
                  }
                  return call(chain, method, arguments);
                });
    realOf.put(watched, real);
    return watched;
  }

  private PortAttributes changed(PortAttributes real) {
    return new PortAttributes(
        real.state(),
        real.maxMtuBytes(),
        activeMtuBytes == 0 ? real.activeMtuBytes() : activeMtuBytes,
        real.gidTableLength(),
        maxMessageBytes == 0 ? real.maxMessageBytes() : maxMessageBytes,
        real.link());
  }

  private ProtectionDomain domain(ProtectionDomain domain) {
    return watch(
        ProtectionDomain.class,
        domain,
        (method, result) ->
            switch (method) {
              case "createQueuePair" ->
                  watch(
                      QueuePair.class,
                      result,
                      (made, same) -> made.equals("newSendChain") ? chain(same) : same);
              case "register" -> watch(MemoryRegion.class, result, (any, same) -> same);
              default -> result;
            });
  }

  /**
   * Its GID table from now on. The device below has no such rows, so that queue pairs go to RTR and
   * RTS on paper only.
   */
  public void gidTable(GidEntry... rows) {
    gidTable = List.of(rows);
  }

  /** What its port carries from now on. */
  public void activeMtuBytes(int bytes) {
    activeMtuBytes = bytes;
  }

  /** The longest message of its port from now on. Before it is opened. */
  public void maxMessageBytes(long bytes) {
    maxMessageBytes = bytes;
  }

  /** The device will report this when it is asked next. */
  public void report(AsyncEvent.Type type, int subject) {
    events.add(new AsyncEvent(type, subject));
  }

  /**
   * From now on this method of all queue pairs, regions, domains and completion channels fails with
   * EIO.
   */
  public void refuse(String method) {
    refused = method;
  }

  /** Its driver keeps whoever destroys a queue pair until {@link #release}. Before it is opened. */
  public void keepCallers() {
    released = new CountDownLatch(1);
  }

  public void release() {
    released.countDown();
  }

  /** From now on it makes no queue pair that has room for inline payload. */
  public void refuseInline() {
    hasNoInline = true;
  }

  /** Whether the device itself was closed. */
  public boolean isClosed() {
    return isClosed;
  }

  /** What was done to queue pairs and regions, oldest first: toError, close, postReceive ... */
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Flags of the work requests that were begun to be sent, oldest first. */
  public List<Integer> flags() {
    return List.copyOf(begun);
  }

  /** Calls of one kind of object. */
  public List<Call> calls(Class<?> kind) {
    return calls.stream().filter(call -> kind.isInstance(call.of())).toList();
  }

  private interface Exchange {
    Object after(String method, Object result);
  }

  private <T> T watch(Class<T> type, Object real, Exchange exchange) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (real instanceof QueuePair || real instanceof MemoryRegion) {
            calls.add(new Call(real, method.getName(), firstOf(arguments)));
          }
          if (released != null && real instanceof QueuePair && method.getName().equals("close")) {
            released.await();
          }
          if (isRefused(real, method)) {
            throw new VerbsException(Errno.EIO, method.getName() + " failed: errno 5 (EIO).");
          }
          if (hasNoInline
              && firstOf(arguments) instanceof QueuePairCapabilities sizes
              && sizes.inlineBytes() > 0) {
            throw new VerbsException(Errno.EINVAL, "no inline payload: errno 22 (EINVAL).");
          }
          if (!gidTable.isEmpty() && method.getName().startsWith("toReady")) {
            return null;
          }
          return exchange.after(method.getName(), call(real, method, arguments));
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** A chain is filled anew before anybody looks. */
  private static Object firstOf(Object[] arguments) {
    Object first = arguments == null ? null : arguments[0];
    if (first instanceof SendChain sends) {
      return sends.size();
    }
    return first instanceof ReceiveChain receives ? receives.size() : first;
  }

  private boolean isRefused(Object real, Method method) {
    boolean mayBe =
        real instanceof QueuePair
            || real instanceof MemoryRegion
            || real instanceof ProtectionDomain
            || real instanceof CompletionChannel;
    return mayBe && method.getName().equals(refused);
  }

  private Object call(Object real, Method method, Object[] arguments) throws Throwable {
    Object[] known =
        arguments == null
            ? null
            : Arrays.stream(arguments).map(each -> realOf.getOrDefault(each, each)).toArray();
    try {
      return method.invoke(real, known);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
