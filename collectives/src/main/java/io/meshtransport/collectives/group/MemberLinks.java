// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Links;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Peer;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The connections to this rank's neighbours, all at one poller: puts of operations, and control
 * messages. A link is one connection: its number is the neighbour's rank, plus the size for each
 * cable to that neighbour before it. One thread at a time, except {@link #await}, beside which
 * another may begin requests.
 */
final class MemberLinks implements Links {
  /** What happens at the poller, in the order in which it is handled. */
  interface Events {
    void putDone(long userData);

    void notice(int link, int notice);

    void control(int link, ByteBuffer message);

    void lost(int rank, TransportException why);

    /** The transport is closed, and with it all links. */
    void closed(IllegalStateException why);
  }

  /** Of the requests of a connection, for puts; the rest is for control messages. */
  private static final int MAX_PUTS = 192;

  static final int REQUESTS = 256;

  private static final int CONTROL_RECEIVES = 8;

  /** Control messages on their way on a connection; those beyond wait here. */
  private static final int MAX_CONTROLS = 16;

  /** To one neighbour. */
  static final int MAX_CABLES = 4;

  /**
   * Messages that wait for those, of a neighbour: what ranks pass on is at most some rounds of
   * records, a goodbye and a failure of each. A neighbour that asks for more and takes none is cut;
   * reports of progress take no more than half of it ({@link #hasRoom}).
   */
  private static final int MAX_WAITING_OF_RANK = 8;

  /** What a wait finds, instead of a count, once the transport is closed. */
  private static final int CLOSED = -1;

  private static final int CONTROL_TAG = 1;
  private static final int MAX_COMPLETIONS = 64;

  /** User data of control messages that are sent; those of receives are below. */
  private static final long SENT = -1;

  private final Poller poller;
  private final YieldingPoller waits;
  private final Transport transport;
  private final int size;

  /** By rank: the links that streams share. */
  private final int[][] shared;

  private final Connection[] connections;
  private final int[] puts;
  private final int[] maxPuts;
  private final int[] controls;

  /** Links whose other end may have given them up already, before it knew of them. */
  private final boolean[] isProvisional;

  /** Why a provisional link was lost. */
  private final TransportException[] lostBecause;

  private final List<ArrayDeque<ByteBuffer>> waiting = new ArrayList<>();
  private final RegisteredMemory[] receives;
  private final Completions completions = new Completions(MAX_COMPLETIONS);
  private final TransferList list = new TransferList();
  private Events events;
  private IllegalStateException closedBy;

  MemberLinks(Transport transport, int size) throws TransportException {
    this.transport = transport;
    this.size = size;
    poller = transport.newPoller();
    waits = new YieldingPoller(poller);
    int count = size * MAX_CABLES;
    shared = new int[size][];
    connections = new Connection[count];
    puts = new int[count];
    maxPuts = new int[count];
    controls = new int[count];
    isProvisional = new boolean[count];
    lostBecause = new TransportException[count];
    for (int link = 0; link < count; link++) {
      waiting.add(new ArrayDeque<>());
    }
    for (int rank = 0; rank < size; rank++) {
      shared[rank] = new int[] {rank};
    }
    receives = new RegisteredMemory[count];
  }

  /** Who is told what happens; before anything can. */
  void events(Events newEvents) {
    events = newEvents;
  }

  Transport transport() {
    return transport;
  }

  /** The number of the link over one of the cables to a neighbour. */
  int number(int rank, int cable) {
    return rank + cable * size;
  }

  /** Above the number of any link. */
  int bound() {
    int bound = connections.length;
    while (bound > size && connections[bound - 1] == null) {
      bound--;
    }
    return bound;
  }

  /** Which links streams share from now on. */
  void share(JoinedGraph graph, int self) {
    for (int rank = 0; rank < size; rank++) {
      int neighbour = rank;
      int[] cables = graph.cables(self, rank);
      if (cables.length > 0) {
        shared[rank] = Arrays.stream(cables).map(cable -> number(neighbour, cable)).toArray();
      }
    }
  }

  @Override
  public int link(int rank, int stream) {
    return shared[rank][stream % shared[rank].length];
  }

  /**
   * From now on the connection is this object's to close.
   *
   * @throws TransportException PROTOCOL if the peer has agreed to too few requests; CLOSED if the
   *     transport has been closed
   */
  void add(int link, Connection connection) throws TransportException {
    connections[link] = connection;
    maxPuts[link] = Math.min(MAX_PUTS, connection.maxRequests() - CONTROL_RECEIVES - MAX_CONTROLS);
    if (maxPuts[link] < 1) {
      throw new TransportException(
          TransportException.Reason.PROTOCOL,
          connection
              + " has agreed to "
              + connection.maxRequests()
              + " requests, of which control messages alone need "
              + (CONTROL_RECEIVES + MAX_CONTROLS)
              + ". Give all members the same version");
    }
    try {
      poller.add(connection);
    } catch (IllegalStateException e) {
      if (connection.state() != ChannelState.CLOSED) {
        throw e;
      }
      throw new TransportException(
          TransportException.Reason.CLOSED, connection + ": " + e.getMessage(), e);
    }
    if (receives[link] == null) {
      receives[link] = transport.allocate((long) CONTROL_RECEIVES * RankMessage.MAX_BYTES);
    }
    for (int i = 0; i < CONTROL_RECEIVES; i++) {
      receive(link, i);
    }
  }

  /**
   * Adds a link that is not announced as lost until it is confirmed: its other end may give it up,
   * and make another in its place. One that was there before is closed.
   *
   * @throws TransportException as of {@link #add(int, Connection)}
   */
  void addProvisional(int link, Connection connection) throws TransportException {
    drop(link);
    lostBecause[link] = null;
    isProvisional[link] = true;
    add(link, connection);
  }

  /** The other end uses this link, and no other. */
  void confirm(int link) {
    isProvisional[link] = false;
  }

  boolean isConfirmed(int link) {
    return connections[link] != null && !isProvisional[link];
  }

  /** Why a link was lost before it was confirmed, since it was added last. */
  Optional<TransportException> lostProvisional(int link) {
    return Optional.ofNullable(lostBecause[link]);
  }

  /** Closes a link, if there is one. Its memory stays until nothing can arrive there any more. */
  void drop(int link) {
    if (connections[link] != null) {
      RegisteredMemory arrivals = receives[link];
      receives[link] = null;
      connections[link].closeAsync().whenComplete((done, why) -> arrivals.close());
      forget(link);
    }
  }

  private void forget(int link) {
    connections[link] = null;
    puts[link] = 0;
    controls[link] = 0;
    waiting.get(link).clear();
  }

  /** On a connection that has failed or is closed there is none, which its poller reports. */
  private void receive(int link, int slot) {
    if (!isOpen(link)) {
      return;
    }
    long request =
        connections[link].irecv(
            receives[link],
            (long) slot * RankMessage.MAX_BYTES,
            RankMessage.MAX_BYTES,
            CONTROL_TAG,
            Connection.NO_DEADLINE,
            -2 - slot);
    requireBegun(link, request);
  }

  private boolean isOpen(int link) {
    return connections[link] != null && connections[link].state() != ChannelState.CLOSED;
  }

  /** Requests are counted, so that there is room for each. */
  private void requireBegun(int link, long request) {
    if (request == Channel.BUSY) {
      throw new IllegalStateException(connections[link] + " is busy with " + puts[link] + " puts");
    }
  }

  boolean has(int link) {
    return connections[link] != null;
  }

  Connection connection(int link) {
    return connections[link];
  }

  /** Who is at the other end of each connection, by rank. */
  Map<Integer, Peer> peers() {
    Map<Integer, Peer> peers = new HashMap<>();
    for (int rank = 0; rank < size; rank++) {
      if (connections[rank] != null) {
        peers.put(rank, connections[rank].peer());
      }
    }
    return peers;
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
  public boolean canPut(int link) {
    return puts[link] < maxPuts[link];
  }

  @Override
  public void add(
      RegisteredMemory from,
      long fromOffsetBytes,
      long lengthBytes,
      RemoteMemory to,
      long toOffsetBytes) {
    list.add(from, fromOffsetBytes, lengthBytes, to, toOffsetBytes);
  }

  @Override
  public void put(int link, int notice, long userData) {
    try {
      begin(link, notice, userData);
    } finally {
      list.clear();
    }
  }

  /** To a neighbour that has left, nothing is sent, and the put has ended. */
  private void begin(int link, int notice, long userData) {
    long request =
        isOpen(link)
            ? connections[link].iput(list, notice, Connection.NO_DEADLINE, userData)
            : Channel.FAILED;
    requireBegun(link, request);
    if (request >= 0) {
      puts[link]++;
    } else {
      events.putDone(userData);
    }
  }

  /** Sends a control message; to a neighbour that is lost, nothing. */
  void send(int link, ByteBuffer message) {
    if (!isOpen(link)) {
      return;
    }
    int maxWaiting = maxWaiting();
    if (waiting.get(link).size() >= maxWaiting) {
      events.lost(
          link % size,
          new TransportException(
              TransportException.Reason.NO_RESOURCES,
              connections[link] + " takes none of the " + maxWaiting + " messages that wait"));
      return;
    }
    waiting.get(link).add(message);
    sendWaiting(link);
  }

  private int maxWaiting() {
    return MAX_WAITING_OF_RANK * size + MAX_CONTROLS;
  }

  /** Whether a message is welcome that its receiver can do without. */
  boolean hasRoom(int link) {
    return waiting.get(link).size() < maxWaiting() / 2;
  }

  /** Of one connection. */
  int controlOutstanding(int link) {
    return controls[link] + waiting.get(link).size();
  }

  private void sendWaiting(int link) {
    ArrayDeque<ByteBuffer> queue = waiting.get(link);
    while (isOpen(link) && !queue.isEmpty() && controls[link] < MAX_CONTROLS) {
      long request =
          connections[link].isend(queue.remove(), CONTROL_TAG, Connection.NO_DEADLINE, SENT);
      requireBegun(link, request);
      controls[link] += request >= 0 ? 1 : 0;
    }
  }

  /**
   * Waits until something is there, at most so long, as {@link YieldingPoller} does. Answers what
   * {@link #handle} takes.
   */
  int await(long timeoutNs) {
    try {
      return waits.await(completions, timeoutNs);
    } catch (IllegalStateException e) {
      // A poller that cannot sleep can be polled, and one that is closed cannot.
      int count = poll();
      if (count == 0) {
        throw e;
      }
      return count;
    }
  }

  int poll() {
    try {
      return poller.poll(completions);
    } catch (IllegalStateException e) {
      closedBy = e;
      return CLOSED;
    }
  }

  void wakeup() {
    poller.wakeup();
  }

  /** Handles what the last wait has found. */
  void handle(int count) {
    if (count == CLOSED) {
      Arrays.fill(puts, 0);
      Arrays.fill(controls, 0);
      waiting.forEach(ArrayDeque::clear);
      events.closed(closedBy);
    }
    for (int i = 0; i < count; i++) {
      int link = link(completions.connection(i));
      if (link >= 0) {
        handleOne(i, link);
      }
    }
  }

  private void handleOne(int i, int link) {
    switch (completions.kind(i)) {
      case PUT -> {
        puts[link]--;
        events.putDone(completions.userData(i));
      }
      case NOTICE -> events.notice(link, completions.notice(i));
      case RECEIVED -> received(link, completions.userData(i), completions.lengthBytes(i));
      case FAILED -> {
        if (completions.userData(i) >= 0) {
          puts[link]--;
          events.putDone(completions.userData(i));
        } else if (completions.userData(i) == SENT) {
          controls[link]--;
        }
        lost(link, completions.failure(i));
      }
      case CLOSED -> {
        connections[link].close();
        forget(link);
        lost(link, completions.failure(i));
      }
      case SENT -> {
        controls[link]--;
        sendWaiting(link);
      }
      default -> throw new IllegalStateException("unexpected " + completions.kind(i));
    }
  }

  private void lost(int link, TransportException why) {
    if (isProvisional[link]) {
      lostBecause[link] = why;
    } else {
      events.lost(link % size, why);
    }
  }

  private void received(int link, long userData, long lengthBytes) {
    int slot = (int) (-2 - userData);
    ByteBuffer bytes =
        receives[link]
            .segments()
            .get(0)
            .duplicate()
            .clear()
            .position(slot * RankMessage.MAX_BYTES)
            .limit(slot * RankMessage.MAX_BYTES + (int) lengthBytes);
    events.control(link, bytes);
    // What it said may have closed it.
    receive(link, slot);
  }

  private int link(Connection connection) {
    for (int link = 0; link < connections.length; link++) {
      if (connections[link] == connection) {
        return link;
      }
    }
    return -1;
  }

  void close() {
    for (int link = 0; link < connections.length; link++) {
      if (connections[link] != null) {
        connections[link].close();
        connections[link] = null;
      }
      if (receives[link] != null) {
        receives[link].close();
      }
    }
    poller.close();
  }
}
