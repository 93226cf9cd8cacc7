// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RelayServices;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One node's mesh and transport without a wire: a test says what comes, and sees what is done. */
final class ScriptedMesh {
  static final Peer SELF = new Peer("a", "0000000000000000000000000000000a");

  /** Its id is higher: this node connects to it. */
  static final Peer OTHER = new Peer("b", "0000000000000000000000000000000b");

  /** Of the transport. */
  final Map<String, String> settings = new ConcurrentHashMap<>();

  final Map<String, byte[]> published = new ConcurrentHashMap<>();
  final BlockingQueue<ChannelFuture<Connection>> accepts = new LinkedBlockingQueue<>();
  final BlockingQueue<ChannelFuture<Connection>> connects = new LinkedBlockingQueue<>();
  final List<NicListener> nicListeners = new CopyOnWriteArrayList<>();
  final AtomicInteger openMemories = new AtomicInteger();
  final BlockingQueue<Consumer<Completions>> arrivals = new LinkedBlockingQueue<>();

  /** Called as a connection is added to the poller. */
  Consumer<Connection> adds = connection -> {};

  /** Called as the overlay is detached. */
  Runnable detaches = () -> {};

  volatile boolean hasNeighbour;

  /** Whether the neighbour says where its relay listens. */
  volatile boolean hasHandle = true;

  /** What is attached to the transport. */
  volatile Overlay overlay;

  /** The thread that has woken the poller last. */
  volatile Thread waker;

  /** How long the last poll was to wait at most. */
  volatile long lastWaitNs;

  final Poller poller =
      fake(
          Poller.class,
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "poll" -> next((Completions) arguments[0], 0);
                case "await" -> next((Completions) arguments[0], (Long) arguments[1]);
                case "add" -> {
                  adds.accept((Connection) arguments[0]);
                  yield null;
                }
                case "wakeup" -> {
                  waker = Thread.currentThread();
                  arrivals.add(into -> {});
                  yield null;
                }
                case "close" -> null;
                default -> throw new UnsupportedOperationException(method.toString());
              });

  final Listener listener =
      fake(
          Listener.class,
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "handle" -> new byte[] {1};
                case "acceptConnection" -> added(accepts);
                case "close" -> null;
                default -> throw new UnsupportedOperationException(method.toString());
              });

  final Transport transport = fake(Transport.class, this::transport);
  final Mesh mesh = fake(Mesh.class, this::mesh);

  static <T> T fake(Class<T> type, InvocationHandler calls) {
    InvocationHandler all =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "hashCode" -> System.identityHashCode(proxy);
              case "equals" -> proxy == arguments[0];
              case "toString" -> type.getSimpleName();
              default -> calls.invoke(proxy, method, arguments);
            };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, all));
  }

  private int next(Completions into, long timeoutNs) throws InterruptedException {
    lastWaitNs = timeoutNs;
    into.clear();
    Consumer<Completions> next = arrivals.poll(timeoutNs, TimeUnit.NANOSECONDS);
    if (next != null) {
      next.accept(into);
    }
    return into.count();
  }

  private static ChannelFuture<Connection> added(BlockingQueue<ChannelFuture<Connection>> to) {
    ChannelFuture<Connection> future = new ChannelFuture<>();
    to.add(future);
    return future;
  }

  private Object transport(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "listen" -> listener;
      case "setting" -> Optional.ofNullable(settings.get(arguments[0]));
      case "newPoller" -> poller;
      case "connect" -> added(connects);
      case "allocate" -> memory(((Number) arguments[0]).intValue());
      case "addNicListener" -> nicListeners.add((NicListener) arguments[0]);
      case "removeNicListener" -> nicListeners.remove(arguments[0]);
      case "attach" -> attachment((Overlay) arguments[0]);
      default -> throw new UnsupportedOperationException(method.toString());
    };
  }

  private Overlay.Attachment attachment(Overlay attached) {
    overlay = attached;
    return () -> detaches.run();
  }

  private RegisteredMemory memory(int bytes) {
    openMemories.incrementAndGet();
    List<ByteBuffer> segments = List.of(ByteBuffer.allocate(bytes));
    return fake(
        RegisteredMemory.class,
        (proxy, method, arguments) ->
            method.getName().equals("segments") ? segments : openMemories.decrementAndGet());
  }

  private Object mesh(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "transport" -> transport;
      case "self" -> node(SELF, published.keySet());
      case "nodes" -> hasNeighbour ? List.of(node(OTHER, Set.of(RelayServices.END))) : List.of();
      case "links" -> hasNeighbour ? List.of(new MeshLink(SELF, OTHER, 1000, 0, 1500)) : List.of();
      case "lookup" -> hasHandle ? Optional.of(new byte[] {2}) : Optional.empty();
      case "publish" -> published.put((String) arguments[0], (byte[]) arguments[1]);
      case "withdraw" -> published.remove((String) arguments[0]);
      case "subscribe" -> (Mesh.Subscription) () -> {};
      default -> throw new UnsupportedOperationException(method.toString());
    };
  }

  private static MeshNode node(Peer peer, Set<String> services) {
    return new MeshNode(peer, 1, MeshNodeState.ALIVE, "", services);
  }

  /** A connection of a neighbour, and what is done with it. */
  static final class Scripted {
    final List<Long> receives = new ArrayList<>();
    final AtomicInteger closes = new AtomicInteger();
    final Connection connection;

    /**
     * @param hello the first bytes of the peer
     */
    Scripted(Peer peer, byte[] hello) {
      Route route = new Route("", peer.name(), "mlx5_0", "", "", "", "", "", 0);
      connection =
          fake(
              Connection.class,
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "peer" -> peer;
                    case "hello" -> hello;
                    case "route" -> route;
                    case "irecv" -> receives.add((Long) arguments[5]) ? 1L : 0L;
                    case "close" -> closes.incrementAndGet();
                    default -> throw new UnsupportedOperationException(method.toString());
                  });
    }
  }
}
