// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * The least that carries messages of many connections over one socket with our promises: each
 * message goes behind a header straight into the memory that was posted for it, and counts as sent
 * once the peer has acknowledged it. There are no tags, no announcements of receives, no failures
 * of single requests, no deadlines. What this does not reach with the JDK's sockets, nothing that
 * does more will. One thread; allocates nothing per message.
 */
final class AcknowledgedSocket implements PolledConnections, AutoCloseable {
  /** Connection, and length or {@link #ACKNOWLEDGEMENT}. */
  private static final int HEADER_BYTES = 2 * Integer.BYTES;

  private static final int ACKNOWLEDGEMENT = -1;

  /** More than {@link ConnectionStreams} posts on a connection at once. */
  private static final int MAX_POSTED = 8;

  private static final int MAX_WRITTEN_AT_ONCE = 64;
  private static final int MAX_READS_PER_POLL = 64;
  private static final int STAGED_BYTES = 64 << 10;

  private final SocketChannel channel;
  private final Selector selector = Selector.open();
  private final SelectionKey key;
  private final int count;
  private final boolean sends;

  /** Requests of each connection so far, and how many of them have ended. */
  private final long[] posted;

  private final long[] ended;

  /**
   * Of each place, of which a connection has as many as it may post: its memory, length, header.
   */
  private final ByteBuffer[] places;

  private final int[] lengthsBytes;

  private final ByteBuffer[] headers;

  /** What is to be written next, from {@link #firstOut} until {@link #endOut}. */
  private final ByteBuffer[] out;

  private int firstOut;
  private int endOut;

  /** What is read beside the payload that goes straight to its place: headers at least. */
  private final ByteBuffer staged = ByteBuffer.allocateDirect(STAGED_BYTES).limit(0);

  private final ByteBuffer[] scattered = new ByteBuffer[2];

  /** The connection whose message is arriving, or -1. */
  private int arriving = -1;

  /**
   * @param channel connected; the caller's
   * @param count of connections over it
   * @param memory of all messages
   * @param sends whether requests are sends or receives
   */
  AcknowledgedSocket(SocketChannel channel, int count, ByteBuffer memory, boolean sends)
      throws IOException {
    this.channel = channel;
    this.count = count;
    this.sends = sends;
    posted = new long[count];
    ended = new long[count];
    places = new ByteBuffer[count * MAX_POSTED];
    lengthsBytes = new int[places.length];
    headers = new ByteBuffer[places.length];
    out = new ByteBuffer[2 * places.length];
    ByteBuffer allHeaders = ByteBuffer.allocateDirect(places.length * HEADER_BYTES);
    for (int i = 0; i < places.length; i++) {
      places[i] = memory.duplicate();
      headers[i] = allHeaders.slice(i * HEADER_BYTES, HEADER_BYTES);
    }
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ);
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public void post(int connection, long offsetBytes, long lengthBytes) {
    int place = place(connection, posted[connection]++);
    ByteBuffer message = places[place];
    message.limit((int) (offsetBytes + lengthBytes)).position((int) offsetBytes);
    lengthsBytes[place] = (int) lengthBytes;
    if (sends) {
      appendHeader(place, connection, (int) lengthBytes);
      append(message);
    }
  }

  private static int place(int connection, long sequence) {
    return connection * MAX_POSTED + (int) (sequence % MAX_POSTED);
  }

  private void appendHeader(int place, int connection, int length) {
    append(headers[place].clear().putInt(connection).putInt(length).flip());
  }

  private void append(ByteBuffer part) {
    if (endOut == out.length) {
      System.arraycopy(out, firstOut, out, 0, endOut - firstOut);
      endOut -= firstOut;
      firstOut = 0;
    }
    out[endOut++] = part;
  }

  @Override
  public int poll(Completion completion, long timeoutNs) throws TransportException {
    try {
      write();
      int reported = read(completion);
      if (reported == 0) {
        boolean isFull = firstOut < endOut;
        key.interestOps(SelectionKey.OP_READ | (isFull ? SelectionKey.OP_WRITE : 0));
        selector.select(ready -> {}, Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
        write();
        reported = read(completion);
      }
      // One write acknowledges all that was read.
      write();
      return reported;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write() throws IOException {
    long written = -1;
    while (firstOut < endOut && written != 0) {
      written = channel.write(out, firstOut, Math.min(MAX_WRITTEN_AT_ONCE, endOut - firstOut));
      while (firstOut < endOut && !out[firstOut].hasRemaining()) {
        firstOut++;
      }
    }
  }

  private int read(Completion completion) throws IOException, TransportException {
    int reported = 0;
    for (int i = 0; i < MAX_READS_PER_POLL && readOnce(); i++) {
      reported += take(completion);
    }
    return reported;
  }

  /** False if nothing was there. */
  private boolean readOnce() throws IOException {
    staged.compact();
    long bytes;
    if (arriving < 0) {
      bytes = channel.read(staged);
    } else {
      scattered[0] = places[place(arriving, ended[arriving])];
      scattered[1] = staged;
      bytes = channel.read(scattered);
    }
    staged.flip();
    if (bytes < 0) {
      throw new IOException("the other end has closed in the middle of a run");
    }
    return bytes > 0;
  }

  private int take(Completion completion) throws TransportException {
    int reported = 0;
    while (arriving >= 0 || staged.remaining() >= HEADER_BYTES) {
      if (arriving < 0) {
        int connection = staged.getInt();
        int length = staged.getInt();
        if (length == ACKNOWLEDGEMENT) {
          reported += end(connection, completion);
          continue;
        }
        arriving = connection;
        int place = place(connection, ended[connection]);
        places[place].limit(places[place].position() + length);
        lengthsBytes[place] = length;
      }
      int place = place(arriving, ended[arriving]);
      if (!fill(places[place])) {
        return reported;
      }
      appendHeader(place, arriving, ACKNOWLEDGEMENT);
      int connection = arriving;
      arriving = -1;
      reported += end(connection, completion);
    }
    return reported;
  }

  /** Copies what was read of a message; true once it is whole. */
  private boolean fill(ByteBuffer message) {
    int bytes = Math.min(message.remaining(), staged.remaining());
    message.put(message.position(), staged, staged.position(), bytes);
    message.position(message.position() + bytes);
    staged.position(staged.position() + bytes);
    return !message.hasRemaining();
  }

  private int end(int connection, Completion completion) throws TransportException {
    int place = place(connection, ended[connection]++);
    completion.completed(connection, lengthsBytes[place]);
    return 1;
  }

  @Override
  public void close() throws IOException {
    selector.close();
  }
}
