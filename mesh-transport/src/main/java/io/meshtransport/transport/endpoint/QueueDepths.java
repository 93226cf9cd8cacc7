// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Transport;

/**
 * How deep the queues of an endpoint are and how long its control messages, by the end it serves.
 *
 * @param dataDepth parts of messages, and requests for reports, under way at once
 * @param controlSends control messages under way at once
 * @param controlSendBytes longest control message sent
 * @param receives most receives posted: as many as the peer can ever have under way
 * @param firstReceives receives posted from the beginning; more as they are needed
 * @param receiveBytes longest control message received
 */
public record QueueDepths(
    int dataDepth,
    int controlSends,
    int controlSendBytes,
    int receives,
    int firstReceives,
    int receiveBytes) {
  /** One for GOODBYE beside those of the requests. */
  private static final int GOODBYE = 1;

  private static final int KEEPALIVE = 1;
  private static final int WITHDRAWAL_ANSWER = 1;
  private static final int PUT_CREDIT = 1;

  /** Receives of an end of a connection for one WITHDRAW and one WITHDRAWN. */
  private static final int WITHDRAWAL_RECEIVES = 2;

  /** Receives of an end of a connection for PUT_NOTICE, until the first one has come. */
  public static final int FIRST_NOTICE_RECEIVES = 1;

  /** Receives of an end of a connection for PUT_NOTICE from then on. */
  public static final int NOTICE_RECEIVES = Connection.MAX_NOTICES;

  /** Receives of an end of a connection beside those for announcements and messages, at first. */
  public static final int FIRST_DUPLEX_RECEIVES =
      WITHDRAWAL_RECEIVES + PUT_CREDIT + FIRST_NOTICE_RECEIVES;

  /** All of them. */
  public static final int DUPLEX_RECEIVES = WITHDRAWAL_RECEIVES + PUT_CREDIT + NOTICE_RECEIVES;

  /** Receives of a sending end at first; it sends RECEIVES at each step above. */
  private static final int FIRST_SENDER_RECEIVES = 2 * ControlBuffers.BLOCK;

  private static final int SENDER_RECEIVES = Transport.MAX_REQUESTS + GOODBYE;

  /** RECEIVES messages in the life of a channel: at 16, 32 and all receives. */
  public static final int RECEIVES_MESSAGES = 3;

  /** Receives of a receiving end beside those for the messages it awaits. */
  public static final int SPARE_RECEIVES = GOODBYE + RECEIVES_MESSAGES;

  private static final int RECEIVER_RECEIVES =
      Transport.MAX_REQUESTS * Transport.MAX_GROUP + SPARE_RECEIVES;

  /**
   * Announcements that the sending end of a channel over one endpoint has receives for at first.
   */
  public static final int FIRST_ANNOUNCEMENTS = FIRST_SENDER_RECEIVES - GOODBYE;

  /**
   * The sending end: a TOO_LONG for each request; a receive for an ADVERTISE message from each
   * request of the peer. The peer counts these receives, and sends no ADVERTISE message without
   * one.
   */
  public static final QueueDepths SENDER =
      sender(0, 1, FIRST_SENDER_RECEIVES, ControlMessage.NUMBER_BYTES);

  /**
   * The receiving end: an ADVERTISE message for each request; a notice or TOO_LONG for each receive
   * of each request. It knows how many receives it has advertised, and posts the work requests for
   * their notices first: the peer never meets an empty queue.
   */
  public static final QueueDepths RECEIVER =
      receiver(0, 1, ControlBuffers.BLOCK, ControlMessage.NUMBER_BYTES);

  /**
   * One end of a connection: what either end of a one-way channel has, in one queue pair. Requests
   * of both directions share their slots, and so the control messages for them.
   */
  public static final QueueDepths DUPLEX =
      new QueueDepths(
          SENDER.dataDepth(),
          SENDER.controlSends() + WITHDRAWAL_ANSWER + PUT_CREDIT,
          Math.max(SENDER.controlSendBytes(), RECEIVER.controlSendBytes()),
          SENDER.receives() + RECEIVER.receives() + DUPLEX_RECEIVES,
          SENDER.firstReceives() + RECEIVER.firstReceives() + FIRST_DUPLEX_RECEIVES,
          Math.max(SENDER.receiveBytes(), RECEIVER.receiveBytes()));

  /**
   * The sending end of a channel of several rails, any of which may have to carry all words. All
   * receives are there from the beginning: a rail that becomes the lead gets all at once what was
   * said on the lead before it.
   *
   * @param rails at once; of the loss of each there is a word
   * @param nics of the receiver; it advertises its receives with a key for each of them
   */
  public static QueueDepths sender(int rails, int nics) {
    return sender(rails, nics, SENDER_RECEIVES + rails, ControlMessage.NOTICE_BYTES);
  }

  private static QueueDepths sender(int rails, int nics, int firstReceives, int longestBytes) {
    return new QueueDepths(
        2 * Transport.MAX_REQUESTS,
        Transport.MAX_REQUESTS + GOODBYE + RECEIVES_MESSAGES + rails,
        longestBytes,
        SENDER_RECEIVES + rails,
        firstReceives,
        ControlMessage.advertiseBytes(Transport.MAX_GROUP, nics));
  }

  /**
   * The receiving end of such a channel. A rail that is not the primary carries at most one
   * immediate for each advertised receive, so its receives are enough as well.
   */
  public static QueueDepths receiver(int rails, int nics) {
    return receiver(rails, nics, RECEIVER_RECEIVES + rails, ControlMessage.NOTICE_BYTES);
  }

  private static QueueDepths receiver(int rails, int nics, int firstReceives, int longestBytes) {
    return new QueueDepths(
        0,
        Transport.MAX_REQUESTS + GOODBYE + rails,
        ControlMessage.advertiseBytes(Transport.MAX_GROUP, nics),
        RECEIVER_RECEIVES + rails,
        firstReceives,
        longestBytes);
  }

  /**
   * How many receives a sending end posts once its peer has used a slot. Slots are taken from the
   * lowest on: the peer has had so many requests at once, and may have twice as many next time.
   */
  public static int senderReceives(int slot) {
    int wanted = 2 * (slot + 1) + GOODBYE;
    int receives = FIRST_SENDER_RECEIVES;
    while (receives < wanted) {
      receives *= 2;
    }
    return Math.min(receives, SENDER_RECEIVES);
  }

  /** How many announcements at once there are receives for, if so many are posted. */
  public static int announcements(int senderReceives) {
    return senderReceives - GOODBYE;
  }

  /** Entries the send queue needs. */
  int sendDepth() {
    return dataDepth + controlSends + KEEPALIVE;
  }
}
