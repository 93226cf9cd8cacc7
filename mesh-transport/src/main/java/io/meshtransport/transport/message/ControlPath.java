// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.endpoint.ControlBuffers;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/**
 * Control messages of one channel: sends them on the primary, and posts the receives again that
 * they came in. Either direction of a channel reads those that are meant for it. Confined to the
 * channel's lock.
 */
public final class ControlPath {
  /** Result of {@link #kindOf} if no control message can be read. */
  static final int NONE = -1;

  private final ChannelCore core;

  /** Control buffer of GOODBYE, after those of the requests. */
  private final int goodbyeBuffer;

  /** Control buffer of WITHDRAWN, after those of RECEIVES, which are after that of GOODBYE. */
  private final int withdrawnBuffer;

  /** Null on a channel over one endpoint. */
  private final RailSet rails;

  private MeshEndpoint primary;
  private boolean hasReceived;

  /** Receives posted for the peer's announcements, where this end sends. */
  private int announcementReceives;

  /** Receives posted for withdrawals, notices and their credits, where both ends do both. */
  private int duplexReceives;

  /** Those of them for notices of puts. */
  private int noticeReceives = QueueDepths.FIRST_NOTICE_RECEIVES;

  /** Receives posted for the peer's messages, where this end receives. */
  private int messageReceives;

  private ControlPath(
      ChannelCore core,
      MeshEndpoint primary,
      RailSet rails,
      int announcementReceives,
      int messageReceives,
      int duplexReceives) {
    this.core = core;
    this.goodbyeBuffer = core.requests.max();
    this.withdrawnBuffer = receivesBuffer(QueueDepths.receivesMessages(core.requests.max()));
    this.primary = primary;
    this.rails = rails;
    this.announcementReceives = announcementReceives;
    this.messageReceives = messageReceives;
    this.duplexReceives = duplexReceives;
  }

  /** Of a sending end over one endpoint. */
  static ControlPath ofSender(ChannelCore core, MeshEndpoint endpoint) {
    return new ControlPath(core, endpoint, null, endpoint.receivesPosted(), 0, 0);
  }

  /** Of a receiving end over one endpoint. */
  static ControlPath ofReceiver(ChannelCore core, MeshEndpoint endpoint) {
    return new ControlPath(core, endpoint, null, 0, endpoint.receivesPosted(), 0);
  }

  /** Of both directions, over one endpoint of the depths {@link QueueDepths#duplex}. */
  static ControlPath ofBoth(ChannelCore core, MeshEndpoint endpoint) {
    return new ControlPath(
        core,
        endpoint,
        null,
        QueueDepths.SENDER.firstReceives(),
        QueueDepths.RECEIVER.firstReceives(),
        QueueDepths.FIRST_DUPLEX_RECEIVES);
  }

  /** Of both directions over several rails of the depths {@link QueueDepths#duplexRail}. */
  static ControlPath ofBoth(ChannelCore core, RailSet rails) {
    return new ControlPath(
        core,
        rails.primary().endpoint(),
        rails,
        QueueDepths.SENDER.firstReceives(),
        QueueDepths.RECEIVER.firstReceives(),
        QueueDepths.FIRST_DUPLEX_RECEIVES + QueueDepths.RAIL_RECEIVES);
  }

  /** Of a sending end over several rails. */
  static ControlPath ofSender(ChannelCore core, RailSet rails) {
    MeshEndpoint primary = rails.primary().endpoint();
    return new ControlPath(core, primary, rails, primary.receivesPosted(), 0, 0);
  }

  /** Of a receiving end over several rails. */
  static ControlPath ofReceiver(ChannelCore core, RailSet rails) {
    MeshEndpoint primary = rails.primary().endpoint();
    return new ControlPath(core, primary, rails, 0, primary.receivesPosted(), 0);
  }

  /** Control buffer of the RECEIVES message with this number, from 0. */
  int receivesBuffer(int number) {
    return goodbyeBuffer + 1 + number;
  }

  /** Control buffer of WITHDRAWN. */
  int withdrawnBuffer() {
    return withdrawnBuffer;
  }

  /** Control buffer of PUT_CREDIT. */
  int putCreditBuffer() {
    return withdrawnBuffer + 1;
  }

  /** Control buffer of UNEXPECTED_CREDIT. */
  int unexpectedCreditBuffer() {
    return putCreditBuffer() + 1;
  }

  /** The first of the control buffers of UNEXPECTED, {@link QueueDepths#UNEXPECTED_SENDS}. */
  int unexpectedBuffer() {
    return unexpectedCreditBuffer() + 1;
  }

  /** Control buffer of RAIL_LEAVE. */
  int leaveBuffer() {
    return unexpectedBuffer() + QueueDepths.UNEXPECTED_SENDS;
  }

  /** Control buffer of the acceptor's RAIL_LOST. */
  int lossBuffer() {
    return leaveBuffer() + 1;
  }

  /** Control buffer of the connector's RAIL_LOST, and of RAIL_GONE. */
  int switchBuffer() {
    return leaveBuffer() + 2;
  }

  /** Control buffer of messages about the rail at a place, where one direction has rails. */
  public int railBuffer(int place) {
    return withdrawnBuffer + 2 + place;
  }

  /** Whether both directions use this endpoint. */
  boolean isOfBoth() {
    return duplexReceives > 0;
  }

  /** Receives for announcements, all of which the peer may use. */
  int announcementReceives() {
    return announcementReceives;
  }

  /**
   * Sees to it that there are so many receives for announcements, beside those for messages.
   * Returns an errno.
   */
  int ensureAnnouncementReceives(MeshEndpoint on, int count) {
    announcementReceives = Math.max(announcementReceives, count);
    return ensureReceives(on);
  }

  /** A rail that is lost needs none any more; the one behind it gets all of them at once. */
  private int ensureReceives(MeshEndpoint on) {
    boolean isNeeded = rails == null || rails.of(on).isLive();
    return isNeeded
        ? on.ensureReceives(announcementReceives + messageReceives + duplexReceives)
        : 0;
  }

  /** As {@link #ensureAnnouncementReceives}, for what the peer sends to advertised receives. */
  int ensureMessageReceives(int count) {
    messageReceives = Math.max(messageReceives, count);
    return ensureReceives(primary);
  }

  /** As {@link #ensureAnnouncementReceives}, for all notices of puts that may be on their way. */
  int ensureNoticeReceives() {
    duplexReceives += QueueDepths.NOTICE_RECEIVES - noticeReceives;
    noticeReceives = QueueDepths.NOTICE_RECEIVES;
    return ensureReceives(primary);
  }

  /** Posts the receives for UNEXPECTED; called once. Returns an errno. */
  int addUnexpectedReceives() {
    duplexReceives += QueueDepths.UNEXPECTED_RECEIVES;
    return ensureReceives(primary);
  }

  /** The endpoint that control messages use. */
  public MeshEndpoint primary() {
    return primary;
  }

  /** From now on control messages use another rail. */
  public void switchPrimary(Rail next) {
    rails.switchPrimary(next);
    primary = next.endpoint();
  }

  /**
   * As {@link #switchPrimary}, of both directions: the rail gets what was written at the one
   * before, and all receives. Returns an errno.
   */
  int moveTo(Rail next) {
    MeshEndpoint before = primary;
    switchPrimary(next);
    int errno = primary.copyControls(before, leaveBuffer());
    return errno == 0 ? ensureReceives(primary) : errno;
  }

  /** Sends a control message about a rail on any rail, beside what is sent in order. */
  void sendAside(Rail on, int kind, int place, int buffer, long number) {
    MeshEndpoint endpoint = on.endpoint();
    int errno = endpoint.ensureControl(buffer);
    if (errno == 0) {
      ByteBuffer message = endpoint.outgoing().memory(buffer);
      int at = endpoint.outgoing().at(buffer);
      ControlMessage.putHeader(message, at, kind, place, 0);
      ControlMessage.putNumber(message, at, number);
      errno = endpoint.sendAside(buffer, ControlMessage.NUMBER_BYTES, 0);
    }
    core.check(endpoint, errno, "a control message");
  }

  /** Whether what was sent is a control message of a request; otherwise notes what it was. */
  boolean isOfRequest(int buffer) {
    if (buffer == goodbyeBuffer) {
      core.shutdown.goodbyeDelivered();
    }
    return isRequestBuffer(buffer);
  }

  /** Whether a buffer is for a control message of the request in the slot of the same number. */
  boolean isRequestBuffer(int buffer) {
    return buffer < goodbyeBuffer;
  }

  /**
   * The kind of the control message that came in a receive.
   *
   * @return {@link #NONE} if it is none, and the channel has broken
   */
  int kindOf(MeshEndpoint on, int index, WorkCompletions batch, int position) {
    int lengthBytes = batch.lengthBytes(position);
    if (lengthBytes < ControlMessage.HEADER_BYTES) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(core.route, "a control message of " + lengthBytes + " bytes"));
      return NONE;
    }
    return ControlMessage.kind(on.incoming().memory(index), on.incoming().at(index));
  }

  /** As {@link #kindOf}; {@link #NONE} also for a message with an immediate, and nothing breaks. */
  static int kindOrNone(MeshEndpoint on, int index, WorkCompletions batch, int position) {
    boolean isControl =
        !batch.hasImmediate(position) && batch.lengthBytes(position) >= ControlMessage.HEADER_BYTES;
    return isControl
        ? ControlMessage.kind(on.incoming().memory(index), on.incoming().at(index))
        : NONE;
  }

  /** A receive of an endpoint is over: what came in it will be read now. */
  void receiveCompleted(MeshEndpoint on) {
    if (rails != null) {
      rails.of(on).receiveEnded();
    }
  }

  /** What came in a receive has been read: posts it again, when the batch is done. */
  void postAgain(MeshEndpoint on, int index) {
    if (!core.status.isLive()) {
      return;
    }
    hasReceived = true;
    if (rails == null) {
      core.check(on.addReceive(index), "a receive");
    } else if (rails.of(on).isLive()) {
      rails.of(on).receivePosted();
      core.check(on, on.addReceive(index), "a receive");
    }
  }

  /**
   * Posts the receives of a batch.
   *
   * @return whether there were any
   */
  boolean postReceives(VerbsEndpoint from) {
    if (!hasReceived) {
      return false;
    }
    hasReceived = false;
    core.check(from, ((MeshEndpoint) from).postAddedReceives(), "receives");
    return true;
  }

  /** Sends a control message with a number. */
  public void sendNumber(int kind, int slot, int count, int buffer, long number) {
    if (putNumber(kind, slot, count, buffer, number)) {
      send(buffer, ControlMessage.NUMBER_BYTES);
    }
  }

  /**
   * Sends a NOTICE.
   *
   * @param carriers bits of the other rails that carried parts of the message
   */
  public void sendNotice(int receive, int buffer, long lengthBytes, long carriers) {
    int slot = ImmediateData.slotOf(receive);
    int entry = ImmediateData.entryOf(receive);
    if (putNumber(ControlMessage.NOTICE, slot, entry, buffer, lengthBytes)) {
      ControlBuffers outgoing = primary.outgoing();
      ControlMessage.putRails(outgoing.memory(buffer), outgoing.at(buffer), carriers);
      send(buffer, ControlMessage.NOTICE_BYTES);
    }
  }

  /** As {@link #sendNumber}, as the last of the pieces that the primary posts next. */
  void addNumber(int kind, int slot, int count, int buffer, long number) {
    if (putNumber(kind, slot, count, buffer, number)) {
      primary.addControlPiece(buffer, ControlMessage.NUMBER_BYTES);
    }
  }

  /** Adds PUT_NOTICE as the last of the pieces of a put that the primary posts next. */
  void addPutNotice(int notice, int buffer, long lengthBytes) {
    if (putNumber(ControlMessage.PUT_NOTICE, 0, 0, buffer, lengthBytes)) {
      ControlBuffers outgoing = primary.outgoing();
      ControlMessage.putNotice(outgoing.memory(buffer), outgoing.at(buffer), notice);
      primary.addControlPiece(buffer, ControlMessage.NUMBER_BYTES);
    }
  }

  /** Sends UNEXPECTED. */
  public void sendUnexpected(int tag, int buffer, long lengthBytes) {
    if (putNumber(ControlMessage.UNEXPECTED, 0, 0, buffer, lengthBytes)) {
      ControlBuffers outgoing = primary.outgoing();
      ControlMessage.putTag(outgoing.memory(buffer), outgoing.at(buffer), tag);
      send(buffer, ControlMessage.NUMBER_BYTES);
    }
  }

  private void send(int buffer, int lengthBytes) {
    core.check(primary.sendControl(buffer, lengthBytes, 0), "a control message");
  }

  /** Writes a control message with a number; returns false if the channel has broken of it. */
  private boolean putNumber(int kind, int slot, int count, int buffer, long number) {
    int errno = primary.ensureControl(buffer);
    if (errno != 0) {
      core.shutdown.breakWith(ChannelFailures.post(core.route, "a control message", errno));
      return false;
    }
    ByteBuffer message = primary.outgoing().memory(buffer);
    int at = primary.outgoing().at(buffer);
    ControlMessage.putHeader(message, at, kind, slot, count);
    ControlMessage.putNumber(message, at, number);
    return true;
  }

  /** Sends GOODBYE at once; returns false if it cannot be sent. */
  boolean sendGoodbye(Goodbye goodbye) {
    // Of both directions, it goes over the next primary.
    boolean isPrimaryLive = rails == null || isOfBoth() || rails.primary().isLive();
    if (!isPrimaryLive || primary.ensureControl(goodbyeBuffer) != 0) {
      return false;
    }
    ControlBuffers outgoing = primary.outgoing();
    int lengthBytes = goodbye.write(outgoing.memory(goodbyeBuffer), outgoing.at(goodbyeBuffer));
    return primary.sendControl(goodbyeBuffer, lengthBytes, 0) == 0;
  }

  /** The control message that came is none that a correct peer sends now. */
  static TransportException unexpected(ChannelCore core, int kind, ByteBuffer message, int at) {
    return ChannelFailures.protocol(
        core.route,
        "control message "
            + kind
            + " for slot "
            + ControlMessage.slot(message, at)
            + " entry "
            + ControlMessage.count(message, at));
  }
}
