// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Links;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The connections to this rank's neighbours, all at one poller: puts of operations, and control
 * messages. One thread at a time, except {@link #await}, beside which another may begin requests.
 */
final class MemberLinks implements Links {
  /** What happens at the poller, in the order in which it is handled. */
  interface Events {
    void putDone(long userData);

    void notice(int rank, int notice);

    void control(int rank, ByteBuffer message);

    void lost(int rank, TransportException why);
  }

  /** Of the requests of a connection, for puts; the rest is for control messages. */
  private static final int MAX_PUTS = 192;

  static final int REQUESTS = 256;

  private static final int CONTROL_RECEIVES = 8;

  /** Control messages on their way on a connection; those beyond wait here. */
  private static final int MAX_CONTROLS = 16;

  /**
   * Messages that wait for those, of a neighbour: what ranks pass on is at most some rounds of
   * records, a goodbye and a failure of each. A neighbour that asks for more and takes none is cut.
   */
  private static final int MAX_WAITING_OF_RANK = 8;

  private static final int CONTROL_TAG = 1;
  private static final int MAX_COMPLETIONS = 64;

  /**
   * How long a wait polls before it sleeps, giving way to others between two polls: the peers of a
   * short operation answer within this, and a wake-up takes longer than they do. Where ranks share
   * processors, that is what lets the others run.
   */
  private static final long YIELD_NS = 200_000;

  /** User data of control messages that are sent; those of receives are below. */
  private static final long SENT = -1;

  private final Poller poller;
  private final Transport transport;
  private final Connection[] connections;
  private final int[] puts;
  private final int[] maxPuts;
  private final int[] controls;
  private final List<ArrayDeque<ByteBuffer>> waiting = new ArrayList<>();
  private final RegisteredMemory[] receives;
  private final Completions completions = new Completions(MAX_COMPLETIONS);
  private final TransferList list = new TransferList();
  private Events events;

  MemberLinks(Transport transport, int size) throws TransportException {
    this.transport = transport;
    poller = transport.newPoller();
    connections = new Connection[size];
    puts = new int[size];
    maxPuts = new int[size];
    controls = new int[size];
    for (int rank = 0; rank < size; rank++) {
      waiting.add(new ArrayDeque<>());
    }
    receives = new RegisteredMemory[size];
  }

  /** Who is told what happens; before anything can. */
  void events(Events newEvents) {
    events = newEvents;
  }

  /**
   * From now on the connection is this object's to close.
   *
   * @throws TransportException PROTOCOL if the peer has agreed to too few requests
   */
  void add(int rank, Connection connection) throws TransportException {
    connections[rank] = connection;
    maxPuts[rank] = Math.min(MAX_PUTS, connection.maxRequests() - CONTROL_RECEIVES - MAX_CONTROLS);
    if (maxPuts[rank] < 1) {
      throw new TransportException(
          TransportException.Reason.PROTOCOL,
          connection
              + " has agreed to "
              + connection.maxRequests()
              + " requests, of which control messages alone need "
              + (CONTROL_RECEIVES + MAX_CONTROLS)
              + ". Give all members the same version");
    }
    poller.add(connection);
    receives[rank] = transport.allocate((long) CONTROL_RECEIVES * RankMessage.MAX_BYTES);
    for (int i = 0; i < CONTROL_RECEIVES; i++) {
      receive(rank, i);
    }
  }

  /** On a connection that has failed or is closed there is none, which its poller reports. */
  private void receive(int rank, int slot) {
    if (!isOpen(rank)) {
      return;
    }
    long request =
        connections[rank].irecv(
            receives[rank],
            (long) slot * RankMessage.MAX_BYTES,
            RankMessage.MAX_BYTES,
            CONTROL_TAG,
            Connection.NO_DEADLINE,
            -2 - slot);
    requireBegun(rank, request);
  }

  private boolean isOpen(int rank) {
    return connections[rank] != null && connections[rank].state() != ChannelState.CLOSED;
  }

  /** Requests are counted, so that there is room for each. */
  private void requireBegun(int rank, long request) {
    if (request == Channel.BUSY) {
      throw new IllegalStateException(connections[rank] + " is busy with " + puts[rank] + " puts");
    }
  }

  boolean has(int rank) {
    return connections[rank] != null;
  }

  Connection connection(int rank) {
    return connections[rank];
  }

  /** Puts that have not ended, on all connections that work. */
  int outstanding() {
    return Arrays.stream(puts).sum();
  }

  /** Control messages that have not arrived yet, on all connections that work. */
  int controlOutstanding() {
    return Arrays.stream(controls).sum() + waiting.stream().mapToInt(ArrayDeque::size).sum();
  }

  @Override
  public boolean canPut(int rank) {
    return puts[rank] < maxPuts[rank];
  }

  @Override
  public void put(
      int rank,
      RegisteredMemory from,
      long fromOffsetBytes,
      long lengthBytes,
      RemoteMemory to,
      long toOffsetBytes,
      int notice,
      long userData) {
    list.clear().add(from, fromOffsetBytes, lengthBytes, to, toOffsetBytes);
    begin(rank, notice, userData);
  }

  @Override
  public void notify(int rank, int notice, long userData) {
    list.clear();
    begin(rank, notice, userData);
  }

  /** To a neighbour that has left, nothing is sent, and the put has ended. */
  private void begin(int rank, int notice, long userData) {
    long request =
        isOpen(rank)
            ? connections[rank].iput(list, notice, Connection.NO_DEADLINE, userData)
            : Channel.FAILED;
    requireBegun(rank, request);
    if (request >= 0) {
      puts[rank]++;
    } else {
      events.putDone(userData);
    }
  }

  /** Sends a control message; to a neighbour that is lost, nothing. */
  void send(int rank, ByteBuffer message) {
    if (!isOpen(rank)) {
      return;
    }
    int maxWaiting = MAX_WAITING_OF_RANK * connections.length + MAX_CONTROLS;
    if (waiting.get(rank).size() >= maxWaiting) {
      events.lost(
          rank,
          new TransportException(
              TransportException.Reason.NO_RESOURCES,
              connections[rank] + " takes none of the " + maxWaiting + " messages that wait"));
      return;
    }
    waiting.get(rank).add(message);
    sendWaiting(rank);
  }

  /** Of one connection. */
  int controlOutstanding(int rank) {
    return controls[rank] + waiting.get(rank).size();
  }

  private void sendWaiting(int rank) {
    ArrayDeque<ByteBuffer> queue = waiting.get(rank);
    while (isOpen(rank) && !queue.isEmpty() && controls[rank] < MAX_CONTROLS) {
      long request =
          connections[rank].isend(queue.remove(), CONTROL_TAG, Connection.NO_DEADLINE, SENT);
      requireBegun(rank, request);
      controls[rank] += request >= 0 ? 1 : 0;
    }
  }

  /**
   * Waits until something is there, at most so long: polls and yields, then sleeps. Only one thread
   * at a time.
   */
  int await(long timeoutNs) {
    long beginNs = System.nanoTime();
    long yieldNs = Math.min(timeoutNs, YIELD_NS);
    long spentNs = 0;
    int count = poller.poll(completions);
    while (count == 0 && spentNs < yieldNs) {
      Thread.yield();
      count = poller.poll(completions);
      spentNs = System.nanoTime() - beginNs;
    }
    return count > 0 ? count : poller.await(completions, Math.max(0, timeoutNs - spentNs));
  }

  int poll() {
    return poller.poll(completions);
  }

  void wakeup() {
    poller.wakeup();
  }

  /** Handles what the last wait has found. */
  void handle(int count) {
    for (int i = 0; i < count; i++) {
      int rank = rank(completions.connection(i));
      if (rank >= 0) {
        handleOne(i, rank);
      }
    }
  }

  private void handleOne(int i, int rank) {
    switch (completions.kind(i)) {
      case PUT -> {
        puts[rank]--;
        events.putDone(completions.userData(i));
      }
      case NOTICE -> events.notice(rank, completions.notice(i));
      case RECEIVED -> received(rank, completions.userData(i), completions.lengthBytes(i));
      case FAILED -> {
        if (completions.userData(i) >= 0) {
          puts[rank]--;
          events.putDone(completions.userData(i));
        } else if (completions.userData(i) == SENT) {
          controls[rank]--;
        }
        events.lost(rank, completions.failure(i));
      }
      case CLOSED -> {
        connections[rank].close();
        connections[rank] = null;
        puts[rank] = 0;
        controls[rank] = 0;
        waiting.get(rank).clear();
        events.lost(rank, completions.failure(i));
      }
      case SENT -> {
        controls[rank]--;
        sendWaiting(rank);
      }
      default -> throw new IllegalStateException("unexpected " + completions.kind(i));
    }
  }

  private void received(int rank, long userData, long lengthBytes) {
    int slot = (int) (-2 - userData);
    ByteBuffer bytes =
        receives[rank]
            .segments()
            .get(0)
            .duplicate()
            .clear()
            .position(slot * RankMessage.MAX_BYTES)
            .limit(slot * RankMessage.MAX_BYTES + (int) lengthBytes);
    events.control(rank, bytes);
    if (connections[rank] != null) {
      receive(rank, slot);
    }
  }

  private int rank(Connection connection) {
    for (int rank = 0; rank < connections.length; rank++) {
      if (connections[rank] == connection) {
        return rank;
      }
    }
    return -1;
  }

  void close() {
    for (int rank = 0; rank < connections.length; rank++) {
      if (connections[rank] != null) {
        connections[rank].close();
        connections[rank] = null;
      }
      if (receives[rank] != null) {
        receives[rank].close();
      }
    }
    poller.close();
  }
}
