// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.SendMode;
import io.meshtransport.transport.channel.EndpointEvents;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;

/**
 * Messages that are matched, and puts and gets, in the order in which they are posted: to one
 * endpoint ({@link OneRailSendQueue}) or over several rails ({@link MultiRailSendQueue}). Confined
 * to the channel's lock; allocates nothing but for slots above those used so far.
 */
interface MessageSendQueue {
  /** There are so many slots from now on. */
  void grow(int slots);

  /** A message begins: notes where its bytes are. The request retains the memory. */
  void begin(int slot, MeshMemory memory, long offsetBytes);

  /** As {@link #begin}, of a gathered message, which {@link RmaOperations} has for this slot. */
  void beginGather(int slot);

  /** Adds a message that is matched; {@link #post} posts it, or refuses one that is too long. */
  void add(int slot);

  /** Adds a put or get, which {@link RmaOperations} has for this slot. */
  void addTransfer(int slot);

  /** Posts, oldest first, what the send queue takes. */
  void post();

  /** A work request succeeded that {@link #post} has posted. */
  void completed(MeshEndpoint from, int kind, int slot);

  /** The peer's device has a control message for a request. */
  void controlDelivered(int slot);

  /** An announcement of the peer's has come. */
  void announcementRead();

  /**
   * A control message came that is no announcement.
   *
   * @return whether it was for the queue
   */
  boolean controlReceived(int kind, ByteBuffer message, int at, int lengthBytes);

  /** How many requests may have to be posted yet, or posted again. */
  int size();

  /** Removes a put or get of which nothing has been posted. */
  void remove(int slot);

  /** A caller queries a pending request: asks the device for a report where nothing reports it. */
  void queried(int slot);

  /** As {@link EndpointEvents#awaitsReport}. */
  boolean awaitsReport();

  /** As {@link EndpointEvents#requestReport}. */
  void requestReport();

  /** The channel is being closed: asks the device to report everything that it has. */
  void closing();

  /** As {@link EndpointEvents#sendGoodbye}. */
  boolean sendGoodbye(Goodbye goodbye);

  /** As {@link io.meshtransport.spi.SendChannel#sendMode}. */
  void sendMode(SendMode mode);

  /** The flag of {@link SendFlags} that says how soon messages of a mode must leave, or 0. */
  static int delayFlag(SendMode mode) {
    return switch (mode) {
      case FIRE_AND_FORGET -> SendFlags.NO_DELAY;
      case BATCH -> SendFlags.DEFERRABLE;
      case LATENCY, STREAM -> 0;
    };
  }
}
