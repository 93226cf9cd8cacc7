// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import java.nio.ByteBuffer;

/**
 * How receives are announced and their messages come: over one endpoint ({@link
 * OneRailReceiveQueue}) or over several rails ({@link MultiRailReceiveQueue}). Confined to the
 * channel's lock.
 */
interface MessageReceiveQueue {
  /** Sends the announcement in the buffer of a request. */
  void announce(int slot);

  /** The peer's device has the announcement of a request. */
  void announcementDelivered(int slot);

  /**
   * An immediate came, with a message or part of one.
   *
   * @param immediate see {@link ImmediateData}
   * @param lengthBytes of the write that it came with
   */
  void immediateReceived(MeshEndpoint from, int immediate, long lengthBytes);

  /** A control message came; the channel breaks if no correct peer sends it. */
  void controlReceived(MeshEndpoint from, int kind, ByteBuffer message, int at, int lengthBytes);

  /** The endpoints have stopped: whatever was on its way is in memory, or never will be. */
  void stopped();
}
