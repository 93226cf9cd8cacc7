// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.stack.IpAddress;

/**
 * A connection of {@link AcknowledgedTcp}. Each frame is two numbers and a bundle:
 *
 * <pre>
 *   0        4        8
 *  +--------+--------+----------
 *  | length |  acks  | bundle      length in bytes, 0 for none; bundles that have been received
 *  +--------+--------+----------
 * </pre>
 *
 * The end that dialled sends its address and port first. Any thread may send; one thread reads.
 */
final class AcknowledgedLink {
  private static final int HEADER_BYTES = 2 * Integer.BYTES;
  private static final int ADDRESS_BYTES = 4 + Integer.BYTES;
  private static final int RECEIVED_BYTES = 256 << 10;
  private static final int SENT_BYTES = 128 << 10;

  /** As many as MESH has send buffers. */
  private static final int MAX_UNACKNOWLEDGED = 128;

  /** A thread that waits looks again after this, should it have missed that it may go on. */
  private static final long LONGEST_PARK_NS = 1_000_000;

  private final AcknowledgedTcp transport;
  private final SocketChannel channel;
  private final ReentrantLock lock = new ReentrantLock();

  /** Bundles that have been received and not acknowledged. */
  private final AtomicInteger owedAcks = new AtomicInteger();

  private final AtomicInteger unacknowledged = new AtomicInteger();

  /** What a write has left, and else nothing. With the lock. */
  private ByteBuffer sent = ByteBuffer.allocateDirect(SENT_BYTES).limit(0);

  /** What has been read, and is not delivered. Of the thread that reads. */
  private ByteBuffer received = ByteBuffer.allocateDirect(RECEIVED_BYTES);

  /** Null until it is known. Of the thread that reads. */
  private IpAddress peer;

  private SelectionKey key;

  /** The thread that waits for acknowledgements, or for space in the socket. */
  private volatile Thread waiter;

  private volatile boolean isClosed;

  /** What JGroups parses a bundle from. */
  private static final class Input extends InputStream {
    private final ByteBuffer bytes;

    private Input(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read() {
      return bytes.hasRemaining() ? bytes.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      int count = Math.min(length, bytes.remaining());
      bytes.get(into, offset, count);
      return count == 0 && length > 0 ? -1 : count;
    }

    @Override
    public int available() {
      return bytes.remaining();
    }
  }

  /**
   * @param channel connected
   * @param peer null if it will say who it is
   */
  AcknowledgedLink(AcknowledgedTcp transport, SocketChannel channel, IpAddress peer)
      throws IOException {
    this.transport = transport;
    this.channel = channel;
    this.peer = peer;
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /** Says who this end is, while the channel blocks. */
  void introduce(IpAddress self) throws IOException {
    ByteBuffer address =
        ByteBuffer.allocate(ADDRESS_BYTES)
            .put(self.getIpAddress().getAddress())
            .putInt(self.getPort())
            .flip();
    channel.write(address);
  }

  void register(Selector selector) throws IOException {
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ, this);
    selector.wakeup();
  }

  /** Sends a bundle, of which it makes a copy; waits while too many are under way. */
  void send(byte[] data, int offset, int length) throws IOException {
    lock.lock();
    try {
      while (unacknowledged.get() >= MAX_UNACKNOWLEDGED) {
        park();
      }
      unacknowledged.incrementAndGet();
      flushAll();
      put(length, owedAcks.getAndSet(0));
      sent.put(data, offset, length).flip();
      flushAll();
    } finally {
      lock.unlock();
    }
    acknowledge();
  }

  private void put(int length, int acks) {
    if (sent.capacity() < HEADER_BYTES + length) {
      sent = ByteBuffer.allocateDirect(HEADER_BYTES + length);
    }
    sent.clear().putInt(length).putInt(acks);
  }

  private void flushAll() throws IOException {
    while (sent.hasRemaining()) {
      channel.write(sent);
      if (sent.hasRemaining()) {
        waiter = Thread.currentThread();
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        key.selector().wakeup();
        park();
      }
    }
  }

  private void park() throws SocketException {
    if (isClosed) {
      throw new SocketException("the connection to " + peer + " has ended");
    }
    waiter = Thread.currentThread();
    LockSupport.parkNanos(this, LONGEST_PARK_NS);
    waiter = null;
  }

  /** Acknowledges what has been received, unless another thread sends and does so. */
  void acknowledge() {
    while (owedAcks.get() > 0 && lock.tryLock()) {
      try {
        if (sent.hasRemaining()) {
          channel.write(sent);
        }
        if (sent.hasRemaining()) {
          return;
        }
        put(0, owedAcks.getAndSet(0));
        channel.write(sent.flip());
      } catch (IOException e) {
        // The thread that reads finds the same, and ends the connection.
        return;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Reads what there is, and delivers it. */
  void onReady(SelectionKey readyKey) throws IOException {
    if (readyKey.isWritable()) {
      readyKey.interestOps(SelectionKey.OP_READ);
      LockSupport.unpark(waiter);
    }
    if (readyKey.isReadable()) {
      if (channel.read(received) < 0) {
        throw new EOFException("closed by " + peer);
      }
      received.flip();
      deliver();
      received.compact();
    }
  }

  private void deliver() throws IOException {
    if (peer == null && received.remaining() >= ADDRESS_BYTES) {
      byte[] host = new byte[ADDRESS_BYTES - Integer.BYTES];
      received.get(host);
      peer = new IpAddress(InetAddress.getByAddress(host), received.getInt());
      transport.introduced(this, peer);
    }
    while (peer != null && received.remaining() >= HEADER_BYTES) {
      int at = received.position();
      int length = received.getInt(at);
      if (received.remaining() < HEADER_BYTES + length) {
        makeSpace(HEADER_BYTES + length);
        return;
      }
      acknowledged(received.getInt(at + Integer.BYTES));
      if (length > 0) {
        deliver(received.slice(at + HEADER_BYTES, length));
      }
      received.position(at + HEADER_BYTES + length);
    }
  }

  private void makeSpace(int frameBytes) {
    if (frameBytes > received.capacity()) {
      received = ByteBuffer.allocateDirect(frameBytes).put(received).flip();
    }
  }

  private void acknowledged(int count) {
    if (count > 0) {
      unacknowledged.addAndGet(-count);
      LockSupport.unpark(waiter);
    }
  }

  private void deliver(ByteBuffer bundle) throws IOException {
    try {
      transport.receive(peer, new DataInputStream(new Input(bundle)), bundle.remaining());
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
    owedAcks.incrementAndGet();
  }

  void close() {
    isClosed = true;
    try {
      channel.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return peer + ": " + unacknowledged + " bundles under way";
  }
}
