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
 * Sends the directory to one peer, one message after the other from memory of its own. A change
 * meanwhile starts it again, with all nodes that are known by then. Confined to its link's lock;
 * never blocks.
 */
final class DirectorySender implements AutoCloseable {
  private final RegisteredMemory memory;
  private final Supplier<List<byte[]>> messages;
  private final Queue<byte[]> remaining = new ArrayDeque<>();
  private long request = Channel.FAILED;
  private boolean isDue;
  private long delivered;

  /**
   * @param memory as long as the longest message; this object's to close
   * @param messages encode the directory as it is now, each at most the memory's length less the
   *     header
   */
  DirectorySender(RegisteredMemory memory, Supplier<List<byte[]>> messages) {
    this.memory = memory;
    this.messages = messages;
  }

  /** The directory is to be sent, from its beginning. */
  void announce() {
    isDue = true;
  }

  /** How many messages were delivered; a later delivery proves that the peer is alive. */
  long delivered() {
    return delivered;
  }

  /** Whether a message is in flight. */
  boolean isInFlight() {
    return request >= 0;
  }

  /** Whether messages remain that have not been posted. */
  boolean hasMore() {
    return !remaining.isEmpty();
  }

  /**
   * Posts the next message if there is one and the one before was delivered.
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

  /** Drops what is in flight. Only after the channel is closed: then the request is complete. */
  void drop() {
    request = Channel.FAILED;
    remaining.clear();
  }

  @Override
  public void close() {
    memory.close();
  }
}
