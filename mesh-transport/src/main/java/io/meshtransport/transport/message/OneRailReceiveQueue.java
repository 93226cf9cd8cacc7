// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import java.nio.ByteBuffer;

/**
 * Receives over one endpoint: the immediate that comes with the last part of a message names its
 * receive, or WRITTEN behind a gathered message does, and everything before it on the endpoint is
 * in memory.
 */
final class OneRailReceiveQueue implements MessageReceiveQueue {
  private final ChannelCore core;
  private final PostedReceives receives;
  private final AnnouncementQueue announcements;
  private final AnnouncementBuffers buffers;
  private final long partBytes;

  /**
   * @param partBytes longest message of one work request that both ends can do
   */
  OneRailReceiveQueue(
      ChannelCore core,
      PostedReceives receives,
      AnnouncementQueue announcements,
      AnnouncementBuffers buffers,
      long partBytes) {
    this.core = core;
    this.receives = receives;
    this.announcements = announcements;
    this.buffers = buffers;
    this.partBytes = partBytes;
  }

  @Override
  public void announce(int slot) {
    buffers.send(slot);
  }

  @Override
  public void announcementDelivered(int slot) {
    buffers.delivered(slot);
    receives.announcementDelivered(slot);
  }

  @Override
  public void immediateReceived(MeshEndpoint from, int immediate, long lengthBytes) {
    int receive = ImmediateData.receive(immediate);
    long messageBytes = ImmediateData.fullParts(immediate) * partBytes + lengthBytes;
    written(receive, messageBytes);
  }

  @Override
  public void controlReceived(
      MeshEndpoint from, int kind, ByteBuffer message, int at, int lengthBytes) {
    if (receives.isTooLong(kind, message, at, lengthBytes)) {
      receives.tooLong(PostedReceives.namedIn(message, at), ControlMessage.number(message, at));
    } else if (isWritten(kind, message, at, lengthBytes)) {
      written(PostedReceives.namedIn(message, at), ControlMessage.number(message, at));
    } else if (!isMoreReceives(kind, message, at, lengthBytes)) {
      core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
    }
  }

  private boolean isWritten(int kind, ByteBuffer message, int at, int lengthBytes) {
    return kind == ControlMessage.WRITTEN
        && lengthBytes == ControlMessage.NUMBER_BYTES
        && receives.isNamedIn(message, at);
  }

  private void written(int receive, long messageBytes) {
    if (receives.fits(receive, messageBytes)) {
      receives.arrived(receive, messageBytes);
    }
  }

  private boolean isMoreReceives(int kind, ByteBuffer message, int at, int lengthBytes) {
    return kind == ControlMessage.RECEIVES
        && lengthBytes == ControlMessage.NUMBER_BYTES
        && announcements.raise(ControlMessage.number(message, at));
  }

  @Override
  public void stopped() {
    receives.endSatisfied();
  }
}
