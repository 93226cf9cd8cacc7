// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.FakeMemory;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One end of a connection over a {@link VirtualNetwork}. What it sends arrives in order, the bytes
 * of a put no earlier than its notice; that it has arrived is known here a delay later. One thread.
 */
final class VirtualEnd implements InvocationHandler {
  private record Request(CompletionKind kind, long userData) {}

  private record Receive(RegisteredMemory memory, long offsetBytes, long userData) {}

  private final VirtualNetwork network;
  private final int node;
  private final long delayNs;
  private final int maxRequests;
  private final Connection connection = Fakes.of(Connection.class, this);
  private final ArrayDeque<Request> sent = new ArrayDeque<>();
  private final ArrayDeque<Receive> receives = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> unexpected = new ArrayDeque<>();
  private VirtualEnd peer;
  private VirtualPoller poller;
  private boolean isBroken;
  private boolean isClosed;

  /**
   * Something that this end has sent before its node was killed did not arrive, nor what follows.
   */
  private boolean isLost;

  private long lastArrivalNs;

  VirtualEnd(VirtualNetwork network, int node, long delayNs, int maxRequests) {
    this.network = network;
    this.node = node;
    this.delayNs = delayNs;
    this.maxRequests = maxRequests;
  }

  static VirtualEnd of(Connection connection) {
    return (VirtualEnd) Proxy.getInvocationHandler(connection);
  }

  Connection connection() {
    return connection;
  }

  void joinTo(VirtualEnd other) {
    peer = other;
  }

  int peerNode() {
    return peer.node;
  }

  void reportTo(VirtualPoller newPoller) {
    poller = newPoller;
  }

  private boolean isUp() {
    return !isBroken && !isClosed && !network.isDead(node);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "state" -> isBroken || isClosed ? ChannelState.CLOSED : ChannelState.READY;
      case "maxRequests" -> maxRequests;
      case "isend" -> send((ByteBuffer) arguments[0], (long) arguments[3]);
      case "irecv" ->
          receive(
              new Receive(
                  (RegisteredMemory) arguments[0], (long) arguments[1], (long) arguments[5]));
      case "iput" -> put((TransferList) arguments[0], (int) arguments[1], (long) arguments[3]);
      case "close" -> {
        isClosed = true;
        yield null;
      }
      case "toString" -> "connection of node " + node + " to node " + peer.node;
      default -> throw new UnsupportedOperationException(method.toString());
    };
  }

  private long send(ByteBuffer message, long userData) {
    ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
    begin(new Request(CompletionKind.SENT, userData), () -> peer.arrived(copy));
    return 0;
  }

  private long receive(Receive receive) {
    receives.add(receive);
    deliver();
    return 0;
  }

  private long put(TransferList list, int notice, long userData) {
    List<Runnable> pieces = new ArrayList<>();
    long length = 0;
    for (int i = 0; i < list.size(); i++) {
      FakeMemory from = (FakeMemory) list.memory(i);
      FakeMemory to = (FakeMemory) list.remote(i);
      int fromAt = (int) list.offsetBytes(i);
      int toAt = (int) list.remoteOffsetBytes(i);
      int bytes = (int) list.lengthBytes(i);
      pieces.add(() -> copy(to, toAt, from, fromAt, bytes));
      length += bytes;
    }
    long all = length;
    begin(
        new Request(CompletionKind.PUT, userData),
        () -> {
          pieces.forEach(Runnable::run);
          if (!network.isNoticeLost()) {
            peer.report(CompletionKind.NOTICE, notice & 0xFFFF_FFFFL, all, null);
          }
        });
    return 0;
  }

  private static void copy(FakeMemory to, int toAt, FakeMemory from, int fromAt, int bytes) {
    ByteBuffer target = to.segments().get(0);
    target.put(toAt, from.segments().get(0), fromAt, bytes);
  }

  /** Bytes are read as late as they arrive, as no memory may change that is being put. */
  private void begin(Request request, Runnable arrives) {
    sent.add(request);
    VirtualClock clock = network.clock();
    long soonNs = clock.nowNs() + delayNs / 2 + network.random().nextInt((int) delayNs);
    lastArrivalNs = Math.max(lastArrivalNs + 1, soonNs);
    clock.in(
        lastArrivalNs - clock.nowNs(),
        () -> {
          // What a node has sent before it was killed may arrive still, or not.
          boolean isGone = network.isDead(node) && network.random().nextInt(4) == 0;
          isLost |= isGone;
          if (peer.isUp() && !isLost) {
            arrives.run();
            clock.in(peer.delayNs, this::acknowledged);
          }
        });
  }

  private void acknowledged() {
    if (isUp()) {
      Request first = sent.remove();
      report(first.kind, first.userData, 0, null);
    }
  }

  private void arrived(ByteBuffer message) {
    unexpected.add(message);
    deliver();
  }

  private void deliver() {
    while (isUp() && !unexpected.isEmpty() && !receives.isEmpty()) {
      ByteBuffer message = unexpected.remove();
      Receive receive = receives.remove();
      ByteBuffer into = receive.memory.segments().get(0);
      into.put((int) receive.offsetBytes, message, 0, message.remaining());
      report(CompletionKind.RECEIVED, receive.userData, message.remaining(), null);
    }
  }

  private void report(
      CompletionKind kind, long userData, long lengthBytes, TransportException failure) {
    poller.report(connection, kind, userData, lengthBytes, failure);
  }

  /** The peer is gone: each request fails, then the connection is closed. */
  void breakDown() {
    if (!isUp()) {
      return;
    }
    isBroken = true;
    TransportException gone =
        new TransportException(
            TransportException.Reason.PEER_GONE, "node " + peer.node + " is gone");
    for (Request each : sent) {
      report(CompletionKind.FAILED, each.userData, 0, gone);
    }
    report(CompletionKind.CLOSED, 0, 0, gone);
  }
}
