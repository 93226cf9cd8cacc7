// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Transport;

/**
 * How deep the queues of an endpoint are and how long its control messages, by the end it serves.
 *
 * @param requests outstanding at once at each end
 * @param dataDepth parts of messages, and requests for reports, under way at once
 * @param controlSends control messages under way at once
 * @param controlSendBytes longest control message sent
 * @param receives most receives posted: as many as the peer can ever have under way
 * @param firstReceives receives posted from the beginning; more as they are needed
 * @param receiveBytes longest control message received
 */
public record QueueDepths(
    int requests,
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
  private static final int UNEXPECTED_CREDIT = 1;

  /** UNEXPECTED messages of a sending end under way at once. */
  public static final int UNEXPECTED_SENDS = 4;

  /** Receives for UNEXPECTED at an end of a connection whose program wants them. */
  public static final int UNEXPECTED_RECEIVES = Connection.MAX_UNEXPECTED;

  /** Parts under way at once even where there are few requests: a long message has many. */
  private static final int MIN_DATA_DEPTH = 16;

  /** Receives of an end of a connection for one WITHDRAW and one WITHDRAWN. */
  private static final int WITHDRAWAL_RECEIVES = 2;

  /** Receives of an end of a connection for PUT_NOTICE, until the first one has come. */
  public static final int FIRST_NOTICE_RECEIVES = 1;

  /** Receives of an end of a connection for PUT_NOTICE from then on. */
  public static final int NOTICE_RECEIVES = Connection.MAX_NOTICES;

  /** Receives of an end of a connection beside those for announcements and messages, at first. */
  public static final int FIRST_DUPLEX_RECEIVES =
      WITHDRAWAL_RECEIVES + PUT_CREDIT + UNEXPECTED_CREDIT + FIRST_NOTICE_RECEIVES;

  /** Receives of each rail of a connection for RAIL_LEAVE, RAIL_LOST, and that or RAIL_GONE. */
  public static final int RAIL_RECEIVES = 3;

  /** The control messages about rails that each rail of a connection sends. */
  private static final int RAIL_SENDS = RAIL_RECEIVES;

  /** All of them. */
  private static final int DUPLEX_RECEIVES =
      WITHDRAWAL_RECEIVES + PUT_CREDIT + UNEXPECTED_CREDIT + NOTICE_RECEIVES + UNEXPECTED_RECEIVES;

  /** Receives of a sending end at first; it sends RECEIVES at each step above. */
  private static final int FIRST_SENDER_RECEIVES = 2 * ControlBuffers.BLOCK;

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
      sender(Transport.MAX_REQUESTS, 0, 1, FIRST_SENDER_RECEIVES, ControlMessage.NUMBER_BYTES);

  /**
   * The receiving end: an ADVERTISE message for each request; a notice or TOO_LONG for each receive
   * of each request. It knows how many receives it has advertised, and posts the work requests for
   * their notices first: the peer never meets an empty queue.
   */
  public static final QueueDepths RECEIVER =
      receiver(Transport.MAX_REQUESTS, 0, 1, ControlBuffers.BLOCK, ControlMessage.NUMBER_BYTES);

  /** One end of a connection of {@link Transport#MAX_REQUESTS} requests. */
  public static final QueueDepths DUPLEX = duplex(Transport.MAX_REQUESTS);

  /**
   * One end of a connection: what either end of a one-way channel has, in one queue pair. Requests
   * of both directions share their slots, and so the control messages for them.
   *
   * @param requests 1 to {@link ConnectOptions#MAX_REQUESTS}
   */
  public static QueueDepths duplex(int requests) {
    return duplex(requests, 0, 1, 1);
  }

  /**
   * A rail of one end of a connection of several: what {@link #duplex(int)} has, and messages about
   * rails.
   *
   * @param nics of this end, at each of which it advertises its receives
   * @param peerNics the same of the peer
   */
  public static QueueDepths duplexRail(int requests, int nics, int peerNics) {
    return duplex(requests, RAIL_SENDS, nics, peerNics);
  }

  private static QueueDepths duplex(int requests, int rails, int nics, int peerNics) {
    QueueDepths sender =
        sender(requests, rails, peerNics, FIRST_SENDER_RECEIVES, ControlMessage.NUMBER_BYTES);
    QueueDepths receiver =
        receiver(requests, 0, nics, ControlBuffers.BLOCK, ControlMessage.NUMBER_BYTES);
    return new QueueDepths(
        requests,
        sender.dataDepth(),
        sender.controlSends()
            + WITHDRAWAL_ANSWER
            + PUT_CREDIT
            + UNEXPECTED_CREDIT
            + UNEXPECTED_SENDS,
        Math.max(sender.controlSendBytes(), receiver.controlSendBytes()),
        sender.receives() + receiver.receives() + DUPLEX_RECEIVES,
        sender.firstReceives() + receiver.firstReceives() + FIRST_DUPLEX_RECEIVES + rails,
        Math.max(sender.receiveBytes(), receiver.receiveBytes()));
  }

  /**
   * The sending end of a channel of several rails, any of which may have to carry all control
   * messages. All receives are there from the beginning: a rail that becomes the primary gets all
   * at once what was sent on the primary before it.
   *
   * @param rails at once; a control message reports the loss of each
   * @param nics of the receiver; it advertises its receives with a key for each of them
   */
  public static QueueDepths sender(int rails, int nics) {
    int requests = Transport.MAX_REQUESTS;
    return sender(
        requests, rails, nics, allSenderReceives(requests) + rails, ControlMessage.NOTICE_BYTES);
  }

  private static QueueDepths sender(
      int requests, int rails, int nics, int firstReceives, int longestBytes) {
    return new QueueDepths(
        requests,
        Math.max(MIN_DATA_DEPTH, requests + Math.min(requests, Transport.MAX_REQUESTS)),
        requests + GOODBYE + receivesMessages(requests) + rails,
        longestBytes,
        allSenderReceives(requests) + rails,
        firstReceives,
        ControlMessage.advertiseBytes(Transport.MAX_GROUP, nics));
  }

  /**
   * The receiving end of such a channel. A rail that is not the primary carries at most one
   * immediate for each advertised receive, so its receives are enough as well.
   */
  public static QueueDepths receiver(int rails, int nics) {
    int requests = Transport.MAX_REQUESTS;
    int receives = maxReceives(requests) + spareReceives(requests);
    return receiver(requests, rails, nics, receives + rails, ControlMessage.NOTICE_BYTES);
  }

  private static QueueDepths receiver(
      int requests, int rails, int nics, int firstReceives, int longestBytes) {
    return new QueueDepths(
        requests,
        0,
        requests + GOODBYE + rails,
        ControlMessage.advertiseBytes(Transport.MAX_GROUP, nics),
        maxReceives(requests) + spareReceives(requests) + rails,
        firstReceives,
        longestBytes);
  }

  /**
   * How many receives may wait for their messages at once: those of full groups, but not more than
   * the queues of common adapters have space for.
   */
  public static int maxReceives(int requests) {
    return Math.min(
        requests * Transport.MAX_GROUP, Math.max(requests, ConnectOptions.MAX_REQUESTS));
  }

  /** Receives of a receiving end beside those for the messages it awaits. */
  public static int spareReceives(int requests) {
    return GOODBYE + receivesMessages(requests);
  }

  /** All receives of a sending end. */
  private static int allSenderReceives(int requests) {
    return Math.max(FIRST_SENDER_RECEIVES, requests + GOODBYE);
  }

  /**
   * How many receives a sending end posts once its peer has used a slot. Slots are taken from the
   * lowest on: the peer has had so many requests at once, and may have twice as many next time.
   */
  public static int senderReceives(int slot, int requests) {
    int wanted = Math.min(2 * (slot + 1) + GOODBYE, allSenderReceives(requests));
    int receives = FIRST_SENDER_RECEIVES;
    while (receives < wanted) {
      receives = nextStep(receives, requests);
    }
    return receives;
  }

  /** RECEIVES messages in the life of a channel: at 16, 32 and all receives of 64 requests. */
  public static int receivesMessages(int requests) {
    int steps = 0;
    int receives = FIRST_SENDER_RECEIVES;
    while (receives < allSenderReceives(requests)) {
      receives = nextStep(receives, requests);
      steps++;
    }
    return steps;
  }

  private static int nextStep(int receives, int requests) {
    return 2 * receives < requests ? 2 * receives : allSenderReceives(requests);
  }

  /** How many announcements at once there are receives for, if so many are posted. */
  public static int announcements(int senderReceives) {
    return senderReceives - GOODBYE;
  }

  /**
   * The most requests of a connection that a device has queues for; not below {@link
   * Transport#MAX_REQUESTS}, without which there would be no connection.
   *
   * @param wanted the answer is not above
   * @param maxQueueDepth work requests in one queue of the device
   * @param maxCompletions in one completion queue of the device
   */
  public static int requestsFor(int wanted, int maxQueueDepth, int maxCompletions) {
    int least = Math.min(wanted, Transport.MAX_REQUESTS);
    int most = wanted;
    while (least < most) {
      int middle = least + most + 1 >>> 1;
      // A rail has a little more than a connection without.
      if (duplexRail(middle, 1, 1).fits(maxQueueDepth, maxCompletions)) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }

  private boolean fits(int maxQueueDepth, int maxCompletions) {
    return sendDepth() <= maxQueueDepth
        && receives <= maxQueueDepth
        && sendDepth() + receives <= maxCompletions;
  }

  /** Entries the send queue needs. */
  int sendDepth() {
    return dataDepth + controlSends + KEEPALIVE;
  }
}
