// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RelayPolicy;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A hop over a connection of the SPI. The class of a chunk is its tag, and a receive that is posted
 * is the credit for one chunk of its class: the transport sends a message when the peer has posted
 * a receive with its tag, and no tag waits for another. Chunks are received into the memory that
 * they are sent from. Confined to the relay's thread.
 */
final class ConnectionHop extends Hop {
  static final int CHUNK_BYTES = 512 << 10;

  private static final Logger LOG = LogManager.getLogger(ConnectionHop.class);

  /** Receives by class: most chunks take few hops. */
  private static final int[] RECEIVES = {0, 5, 3, 3, 2, 1, 1, 1, 1};

  private static final int OWN_CHUNKS = 4;
  private static final int ALL_CHUNKS = 21;

  /** Sends and receives at once, with room to spare. */
  private static final int REQUESTS = 128;

  /** Of the connections of both ends. */
  static final ConnectOptions OPTIONS =
      ConnectOptions.DEFAULT
          .name("relay")
          .hello(("mesh-relay " + ChunkHeader.VERSION).getBytes(StandardCharsets.US_ASCII))
          .requests(REQUESTS)
          .withoutDeadline()
          // A hop is a cable.
          .relay(RelayPolicy.NEVER);

  private static final long IS_SEND = 1L << 32;

  final Connection connection;
  private final RelayNode node;
  private final RegisteredMemory memory;
  private final Chunk[] chunks = new Chunk[ALL_CHUNKS];

  /** What is being sent, by its number; the chunks are of any hop. */
  private final Chunk[] sends = new Chunk[REQUESTS];

  private final int[] sendClasses = new int[REQUESTS];
  private final ArrayDeque<Integer> freeSends = new ArrayDeque<>();

  /** Numbers of sends that the connection did not take: they are over, but not inside of a call. */
  private final ArrayDeque<Integer> refused = new ArrayDeque<>();

  /** Chunks of this hop's memory that the node has. */
  private int chunksAway;

  private boolean isClosed;

  /**
   * Allocates the memory of a hop.
   *
   * @param connection this object's to close, but not if this throws
   */
  ConnectionHop(NodeNumber peer, Connection connection, RelayNode node, Transport transport)
      throws TransportException {
    super(peer);
    this.connection = connection;
    this.node = node;
    memory = transport.allocate((long) ALL_CHUNKS * CHUNK_BYTES);
    ByteBuffer whole = memory.segments().get(0);
    int index = 0;
    for (int hopClass = 1; hopClass <= ChunkHeader.MAX_HOPS; hopClass++) {
      for (int i = 0; i < RECEIVES[hopClass]; i++) {
        add(index++, hopClass, whole);
      }
    }
    while (index < ALL_CHUNKS) {
      add(index++, 0, whole);
    }
    for (int i = 0; i < REQUESTS; i++) {
      freeSends.add(i);
    }
  }

  private void add(int index, int hopClass, ByteBuffer whole) {
    chunks[index] = new Chunk(this, hopClass, index, whole.slice(index * CHUNK_BYTES, CHUNK_BYTES));
  }

  /** Posts all receives, and tells the node. */
  void start() {
    List<Chunk> own = new ArrayList<>(OWN_CHUNKS);
    for (Chunk chunk : chunks) {
      if (chunk.hopClass == 0) {
        own.add(chunk);
      } else {
        post(chunk);
      }
    }
    node.hopUp(this, own);
  }

  private void post(Chunk chunk) {
    try {
      // A connection that has failed does not take it, and says so by itself.
      connection.irecv(
          memory,
          (long) chunk.index * CHUNK_BYTES,
          CHUNK_BYTES,
          chunk.hopClass,
          Connection.NO_DEADLINE,
          chunk.index);
    } catch (IllegalStateException e) {
      LOG.debug("{}: the memory of the hop is closed", connection.peer(), e);
    }
  }

  @Override
  void receiveInto(Chunk chunk) {
    chunksAway--;
    if (isClosed) {
      closeMemory();
    } else {
      post(chunk);
    }
  }

  @Override
  void send(Chunk chunk, int hopClass) {
    int number = freeSends.remove();
    sends[number] = chunk;
    sendClasses[number] = hopClass;
    if (isClosed || !isTaken(chunk, hopClass, number)) {
      refused.add(number);
    }
  }

  private boolean isTaken(Chunk chunk, int hopClass, int number) {
    try {
      return connection.isend(
              ((ConnectionHop) chunk.home).memory,
              (long) chunk.index * CHUNK_BYTES,
              chunk.lengthBytes,
              hopClass,
              Connection.NO_DEADLINE,
              IS_SEND | number)
          >= 0;
    } catch (IllegalStateException e) {
      LOG.debug("{}: the memory of the hop is closed", connection.peer(), e);
      return false;
    }
  }

  /** Ends sends that were not taken; returns whether there were any. */
  boolean endRefused() {
    boolean isAny = !refused.isEmpty();
    for (int left = refused.size(); left > 0; left--) {
      sent(refused.remove());
    }
    return isAny;
  }

  private void sent(int number) {
    Chunk chunk = sends[number];
    sends[number] = null;
    freeSends.add(number);
    node.sent(this, chunk, sendClasses[number]);
  }

  /** A request of its connection has ended. */
  void completed(CompletionKind kind, long userData, long lengthBytes) {
    if ((userData & IS_SEND) != 0) {
      sent((int) userData);
    } else if (kind == CompletionKind.RECEIVED) {
      chunksAway++;
      node.received(this, chunks[(int) userData], (int) lengthBytes);
    }
  }

  /** The last entry about its connection has come: all of its requests have ended. */
  void closed() {
    if (!isClosed) {
      isClosed = true;
      node.hopDown(this);
      closeMemory();
    }
  }

  private void closeMemory() {
    if (chunksAway == 0) {
      memory.close();
    }
  }

  /** A chunk of this hop waits in a queue of another, or is being sent there. */
  boolean isLent() {
    return chunksAway > 0;
  }
}
