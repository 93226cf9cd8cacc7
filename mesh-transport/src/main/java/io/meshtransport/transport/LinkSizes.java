package io.meshtransport.transport;

import io.meshtransport.spi.Transport;

/**
 * How deep the queues of a link are and how long its control messages, by the end it serves.
 *
 * @param dataDepth parts of messages, and questions for reports, under way at once
 * @param controlSends control messages under way at once
 * @param controlSendBytes longest control message sent
 * @param receives receives kept posted: as many as the peer can ever have under way, so that it
 *     never meets an empty queue
 * @param receiveBytes longest control message received
 */
record LinkSizes(
    int dataDepth, int controlSends, int controlSendBytes, int receives, int receiveBytes) {
  /** One for GOODBYE beside those of the requests. */
  private static final int GOODBYE = 1;

  private static final int KEEPALIVE = 1;

  /**
   * The sending end: a TOO_LONG for each request; room for a ROOMS message from each request of the
   * peer.
   */
  static final LinkSizes SENDER = sender(0, 1);

  /**
   * The receiving end: a ROOMS message for each request; a notice or TOO_LONG for each room of each
   * request.
   */
  static final LinkSizes RECEIVER = receiver(0, 1);

  /**
   * The sending end of a channel of several rails, any of which may have to carry all words.
   *
   * @param rails at most; of the loss of each there is a word
   * @param nics of the receiver's, at each of which it tells where its rooms are
   */
  static LinkSizes sender(int rails, int nics) {
    return new LinkSizes(
        2 * Transport.MAX_REQUESTS,
        Transport.MAX_REQUESTS + GOODBYE + rails,
        ControlMessage.MAX_TO_RECEIVER_BYTES,
        Transport.MAX_REQUESTS + GOODBYE + rails,
        ControlMessage.roomsBytes(Transport.MAX_GROUP, nics));
  }

  /** The receiving end of such a channel. */
  static LinkSizes receiver(int rails, int nics) {
    return new LinkSizes(
        0,
        Transport.MAX_REQUESTS + GOODBYE + rails,
        ControlMessage.roomsBytes(Transport.MAX_GROUP, nics),
        Transport.MAX_REQUESTS * Transport.MAX_GROUP + GOODBYE + rails,
        ControlMessage.MAX_TO_RECEIVER_BYTES);
  }

  /** Entries the send queue needs. */
  int sendDepth() {
    return dataDepth + controlSends + KEEPALIVE;
  }

  /** Bytes of memory for control messages. */
  int controlBytes() {
    return controlSends * controlSendBytes + receives * receiveBytes;
  }
}
