package io.meshtransport.transport;

import io.meshtransport.spi.Transport;

/**
 * How deep the queues of a link are and how long its control messages, by the end it serves.
 *
 * @param dataDepth parts of messages, and questions for reports, under way at once
 * @param controlSends control messages under way at once
 * @param controlSendBytes longest control message sent
 * @param receives most receives posted: as many as the peer can ever have under way
 * @param firstReceives receives posted from the beginning; more as they are needed
 * @param receiveBytes longest control message received
 */
record LinkSizes(
    int dataDepth,
    int controlSends,
    int controlSendBytes,
    int receives,
    int firstReceives,
    int receiveBytes) {
  /** One for GOODBYE beside those of the requests. */
  private static final int GOODBYE = 1;

  private static final int KEEPALIVE = 1;

  /**
   * The sending end: a TOO_LONG for each request; room for a ROOMS message from each request of the
   * peer. The peer announces when it likes, so a first burst may meet an empty queue; its device
   * then tries again until this end has posted more, which it does at its next look.
   */
  static final LinkSizes SENDER =
      new LinkSizes(
          2 * Transport.MAX_REQUESTS,
          Transport.MAX_REQUESTS + GOODBYE,
          ControlMessage.MAX_TO_RECEIVER_BYTES,
          Transport.MAX_REQUESTS + GOODBYE,
          2 * ControlBuffers.BLOCK,
          ControlMessage.MAX_TO_SENDER_BYTES);

  /**
   * The receiving end: a ROOMS message for each request; a notice or TOO_LONG for each room of each
   * request. It knows how many rooms are open, and posts the receives before it announces them: the
   * peer never meets an empty queue.
   */
  static final LinkSizes RECEIVER =
      new LinkSizes(
          0,
          Transport.MAX_REQUESTS + GOODBYE,
          ControlMessage.MAX_TO_SENDER_BYTES,
          Transport.MAX_REQUESTS * Transport.MAX_GROUP + GOODBYE,
          ControlBuffers.BLOCK,
          ControlMessage.MAX_TO_RECEIVER_BYTES);

  /** Entries the send queue needs. */
  int sendDepth() {
    return dataDepth + controlSends + KEEPALIVE;
  }
}
