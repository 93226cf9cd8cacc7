package io.meshtransport.transport;

import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.verbs.Completions;
import java.nio.ByteBuffer;

/**
 * A channel that speaks our own wire, at either end: control messages that name rooms, and messages
 * that are written into them. Guarded by its lock.
 */
abstract class RoomChannel extends MeshChannel {
  /** Control buffer of GOODBYE, after those of the requests. */
  private static final int GOODBYE = Transport.MAX_REQUESTS;

  final Link link;
  private boolean hasReceived;

  RoomChannel(MeshTransport owner, ChannelLife life, Link link, Route route) {
    super(owner, life, link, route);
    this.link = link;
  }

  /** A work request of the data path is complete. */
  abstract void completed(int kind, int index, Completions batch, int position);

  /** A control message came: read it, for its buffer is posted again when the batch is done. */
  abstract void control(int kind, ByteBuffer buffer, int at, int lengthBytes);

  /** Receives are posted again: do what the messages in them allow. */
  abstract void moveAlong();

  /** A control message of a request has arrived at the peer. */
  abstract void controlDelivered(int slot);

  @Override
  final void ended(int kind, int index, Completions batch, int position) {
    switch (kind) {
      case WorkRequestId.CONTROL -> {
        if (index == GOODBYE) {
          goodbyeArrived();
        } else {
          controlDelivered(index);
        }
      }
      case WorkRequestId.RECEIVE -> received(index, batch, position);
      default -> completed(kind, index, batch, position);
    }
  }

  private void received(int index, Completions batch, int position) {
    if (batch.hasImmediate(position)) {
      completed(WorkRequestId.RECEIVE, index, batch, position);
    } else {
      ByteBuffer message = link.incoming().memory(index);
      int at = link.incoming().at(index);
      int kind = ControlMessage.kind(message, at);
      int lengthBytes = batch.lengthBytes(position);
      if (lengthBytes < ControlMessage.HEADER_BYTES) {
        breakWith(Failures.protocol(route, "a control message of " + lengthBytes + " bytes"));
      } else if (kind == ControlMessage.GOODBYE) {
        breakWith(Failures.peerClosed(route));
      } else {
        control(kind, message, at, lengthBytes);
      }
    }
    if (live()) {
      check(link.addReceive(index), "a receive");
      hasReceived = true;
    }
  }

  @Override
  void batchEnded() {
    if (hasReceived) {
      hasReceived = false;
      // First, for what moves along may make the peer send more.
      check(link.postAdded(), "receives");
      moveAlong();
    }
  }

  @Override
  final boolean sayGoodbye() {
    if (link.needControl(GOODBYE) != 0) {
      return false;
    }
    ControlMessage.putHeader(
        link.outgoing().memory(GOODBYE), link.outgoing().at(GOODBYE), ControlMessage.GOODBYE, 0, 0);
    return link.sendControl(GOODBYE, ControlMessage.HEADER_BYTES) == 0;
  }
}
