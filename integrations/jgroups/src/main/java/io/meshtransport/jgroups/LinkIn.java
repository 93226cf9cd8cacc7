package io.meshtransport.jgroups;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The way from one peer: the channel that the peer opened, rooms posted on all of it, and the
 * thread that hands what arrives straight from there to JGroups. Made by {@link Reception}; ends
 * when the channel does.
 */
final class LinkIn implements AutoCloseable {
  /** Only a look whether it is to end; what arrives wakes the thread at once. */
  private static final Duration TICK = Duration.ofSeconds(1);

  private final ReceiveChannel channel;
  private final RegisteredMemory memory;
  private final ByteBuffer bytes;
  private final RoomRing rooms;
  private final Arrivals arrivals;
  private final Assembly assembly;
  private final Thread thread;
  private Node peer;
  private volatile boolean closing;

  /** What becomes of what arrives, on the link's thread. */
  interface Arrivals {
    /** The peer says who it is and whom it knows. */
    void directory(DirectoryMessage message);

    /**
     * A bundle of JGroups.
     *
     * @param bundle from position to limit; read before this returns
     */
    void bundle(Node sender, ByteBuffer bundle);

    /** The link is over. */
    void ended(LinkIn link, Node sender, TransportException why);

    /** What arrived makes no sense; the link is closed. */
    void nonsense(Node sender, String peer, ProtocolException why);
  }

  LinkIn(
      ReceiveChannel channel,
      Transport transport,
      int rooms,
      int roomBytes,
      int maxBundleBytes,
      Arrivals arrivals)
      throws TransportException {
    this.channel = channel;
    this.arrivals = arrivals;
    bytes = ByteBuffer.allocateDirect(Math.multiplyExact(rooms, roomBytes));
    memory = transport.register(bytes);
    this.rooms = new RoomRing(channel, memory, rooms, roomBytes);
    assembly = new Assembly(maxBundleBytes);
    thread = new Thread(this::run, "mesh-jgroups-in");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    TransportException why = null;
    try {
      receive();
    } catch (TransportException e) {
      why = e;
    } catch (ProtocolException e) {
      arrivals.nonsense(peer, channel.route().toString(), e);
    } catch (IllegalStateException e) {
      if (!closing) {
        throw e;
      }
    } finally {
      channel.close();
      memory.close();
      arrivals.ended(this, peer, why);
    }
  }

  private void receive() throws TransportException, ProtocolException {
    rooms.postAll();
    while (!closing) {
      if (rooms.awaitNext(TICK) && !closing) {
        take(bytes.slice(rooms.offsetBytes(), rooms.lengthBytes()));
        rooms.taken();
      }
    }
  }

  private void take(ByteBuffer room) throws ProtocolException {
    if (room.limit() < Frame.HEADER_BYTES || Frame.version(room) != Frame.VERSION) {
      throw new ProtocolException(
          "a message of %d bytes that does not begin as version %d does. Run the same release of mesh-jgroups on all nodes."
              .formatted(room.limit(), Frame.VERSION));
    }
    byte kind = Frame.kind(room);
    int lengthBytes = Frame.lengthBytes(room);
    int offsetBytes = Frame.offsetBytes(room);
    room.position(Frame.HEADER_BYTES);
    if (kind == Frame.DIRECTORY) {
      DirectoryMessage message = DirectoryMessage.decode(room.slice());
      peer = message.sender();
      arrivals.directory(message);
    } else if (peer == null) {
      throw new ProtocolException("the first message is no introduction, but of kind " + kind);
    } else if (kind == Frame.BUNDLE) {
      arrivals.bundle(peer, room);
    } else if (kind == Frame.PART) {
      if (assembly.add(lengthBytes, offsetBytes, room)) {
        arrivals.bundle(peer, ByteBuffer.wrap(assembly.take(), 0, lengthBytes));
      }
    } else {
      throw new ProtocolException("a message of unknown kind " + kind);
    }
  }

  @Override
  public String toString() {
    return channel.route().toString();
  }

  /** Ends it from any thread. Does not wait: see {@link #join}. Safe to call twice. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
  }

  /** Waits for the end of its thread. */
  void join(long atMostMs) throws InterruptedException {
    thread.join(Math.max(1, atMostMs));
  }
}
