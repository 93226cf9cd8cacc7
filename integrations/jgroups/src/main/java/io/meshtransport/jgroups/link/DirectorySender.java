// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Supplier;

/**
 * Tells one peer of the directory, in one message after the other from a memory of its own. A
 * change on the way begins it anew: the peer then hears of all that is known by then. Confined to
 * its link's lock; never blocks.
 */
final class DirectorySender implements AutoCloseable {
  private final RegisteredMemory memory;
  private final Supplier<List<byte[]>> messages;
  private final Queue<byte[]> remaining = new ArrayDeque<>();
  private long request = Channel.FAILED;
  private boolean isDue;
  private long delivered;

  /**
   * @param memory of a room's length; this object's to close
   * @param messages that tell the directory as it is now, each a room's length less the frame's
   *     header at most
   */
  DirectorySender(RegisteredMemory memory, Supplier<List<byte[]>> messages) {
    this.memory = memory;
    this.messages = messages;
  }

  /** The directory is to be told, from its beginning. */
  void announce() {
    isDue = true;
  }

  /** How many messages the peer has taken: what it takes later proves that it lives. */
  long delivered() {
    return delivered;
  }

  /** Whether a message is on its way. */
  boolean isInFlight() {
    return request >= 0;
  }

  /** Whether messages of it are left that have not begun. */
  boolean hasMore() {
    return !remaining.isEmpty();
  }

  /**
   * Sends the next message if there is one and the one before has arrived.
   *
   * @throws TransportException if the channel has failed, or a message with it
   */
  void sendNext(SendChannel channel) throws TransportException {
    if (request >= 0) {
      long outcome = channel.test(request);
      if (outcome == Channel.PENDING) {
        return;
      }
      request = Channel.FAILED;
      if (outcome == Channel.FAILED) {
        throw channel.failure();
      }
      delivered++;
    }
    if (isDue) {
      isDue = false;
      remaining.clear();
      remaining.addAll(messages.get());
    }
    if (!remaining.isEmpty()) {
      begin(channel, remaining.peek());
    }
  }

  private void begin(SendChannel channel, byte[] message) throws TransportException {
    BundleHeader.put(memory.segments().get(0), BundleHeader.DIRECTORY, message.length, 0);
    memory.segments().get(0).put(BundleHeader.HEADER_BYTES, message);
    long begun =
        channel.isend(
            memory, 0, BundleHeader.HEADER_BYTES + (long) message.length, BundleHeader.TAG);
    if (begun == Channel.FAILED) {
      throw channel.failure();
    }
    if (begun != Channel.BUSY) {
      request = begun;
      remaining.remove();
    }
  }

  /** Forgets what is on its way. Only after the channel is closed: then the request is over. */
  void drop() {
    request = Channel.FAILED;
    remaining.clear();
  }

  @Override
  public void close() {
    memory.close();
  }
}
