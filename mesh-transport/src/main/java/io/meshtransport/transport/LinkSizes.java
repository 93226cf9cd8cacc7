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

  private static final int SENDER_RECEIVES = Transport.MAX_REQUESTS + GOODBYE;
  private static final int RECEIVER_RECEIVES =
      Transport.MAX_REQUESTS * Transport.MAX_GROUP + GOODBYE;

  /**
   * The sending end: a TOO_LONG for each request; room for a ROOMS message from each request of the
   * peer. The peer announces when it likes, so a first burst may meet an empty queue; its device
   * then tries again until this end has posted more, which it does at its next look.
   */
  static final LinkSizes SENDER = sender(0, 1, 2 * ControlBuffers.BLOCK);

  /**
   * The receiving end: a ROOMS message for each request; a notice or TOO_LONG for each room of each
   * request. It knows how many rooms are open, and posts the receives before it announces them: the
   * peer never meets an empty queue.
   */
  static final LinkSizes RECEIVER = receiver(0, 1, ControlBuffers.BLOCK);

  /**
   * The sending end of a channel of several rails, any of which may have to carry all words. All
   * receives are there from the beginning: a rail that becomes the lead gets all at once what was
   * said on the lead before it.
   *
   * @param rails at most; of the loss of each there is a word
   * @param nics of the receiver's, at each of which it tells where its rooms are
   */
  static LinkSizes sender(int rails, int nics) {
    return sender(rails, nics, SENDER_RECEIVES + rails);
  }

  private static LinkSizes sender(int rails, int nics, int firstReceives) {
    return new LinkSizes(
        2 * Transport.MAX_REQUESTS,
        Transport.MAX_REQUESTS + GOODBYE + rails,
        ControlMessage.MAX_TO_RECEIVER_BYTES,
        SENDER_RECEIVES + rails,
        firstReceives,
        ControlMessage.roomsBytes(Transport.MAX_GROUP, nics));
  }

  /** The receiving end of such a channel. */
  static LinkSizes receiver(int rails, int nics) {
    return receiver(rails, nics, RECEIVER_RECEIVES + rails);
  }

  private static LinkSizes receiver(int rails, int nics, int firstReceives) {
    return new LinkSizes(
        0,
        Transport.MAX_REQUESTS + GOODBYE + rails,
        ControlMessage.roomsBytes(Transport.MAX_GROUP, nics),
        RECEIVER_RECEIVES + rails,
        firstReceives,
        ControlMessage.MAX_TO_RECEIVER_BYTES);
  }

  /** Entries the send queue needs. */
  int sendDepth() {
    return dataDepth + controlSends + KEEPALIVE;
  }
}
