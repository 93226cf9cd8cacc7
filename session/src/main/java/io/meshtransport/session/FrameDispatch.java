// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Gives each frame that arrives to whom it concerns, and closes the connection of a peer that
 * breaks the protocol. Confined to the session's thread.
 */
final class FrameDispatch {
  /**
   * A peer with more replies in the queue than that, for each call that it may make, sends requests
   * and does not receive.
   */
  private static final int REPLIES_PER_CALL = 4;

  /** The same in bytes, beside a few of the longest messages. */
  private static final long MIN_REPLY_BYTES = 64L << 20;

  private final PeerConnector connector;
  private final Refusals refusals;
  private final HandlerCalls program;
  private final int maxReplies;
  private final long maxReplyBytes;

  /**
   * @param options of the session, which are those of its peers
   */
  FrameDispatch(
      PeerConnector connector, Refusals refusals, HandlerCalls program, SessionOptions options) {
    this.refusals = refusals;
    this.connector = connector;
    this.program = program;
    maxReplies = REPLIES_PER_CALL * options.maxCalls();
    maxReplyBytes = Math.max(MIN_REPLY_BYTES, REPLIES_PER_CALL * (long) options.maxMessageBytes());
  }

  /** A frame has arrived. */
  void received(Link link, long offsetBytes, long lengthBytes) {
    try {
      dispatch(link, link.frame(offsetBytes, lengthBytes));
    } catch (ProtocolException e) {
      refusals.refuse(link, e.getMessage());
    }
  }

  private void dispatch(Link link, ByteBuffer frame) throws ProtocolException {
    if (frame.remaining() < Frame.HEADER_BYTES) {
      throw new ProtocolException(
          "a message of " + frame.remaining() + " bytes, shorter than a header");
    }
    byte kind = Frame.kind(frame);
    if (kind == Frame.WELCOME) {
      if (!link.isDialed || link.isWelcome) {
        throw new ProtocolException("a welcome that was not due");
      }
      connector.opened(link, false);
    } else if (kind == Frame.REFUSAL) {
      requireWhole(frame);
      refusals.refusedByPeer(link, refusal(frame));
    } else if (!link.isWelcome) {
      if (link.isLeft) {
        return;
      }
      throw new ProtocolException("a message of kind " + kind + " before the welcome");
    } else if (Frame.hasMore(frame) || link.reassembly.isUnderWay()) {
      if (link.reassembly.add(frame)) {
        deliver(link, kind, Frame.id(frame), link.reassembly.message());
      }
    } else {
      requireWhole(frame);
      long id = Frame.id(frame);
      deliver(link, kind, id, Frame.message(frame));
    }
  }

  /** For logs and failures: control characters are the peer's, and no text. */
  private static String refusal(ByteBuffer frame) {
    String text = StandardCharsets.UTF_8.decode(Frame.message(frame)).toString();
    return text.codePoints()
        .map(each -> Character.isISOControl(each) ? ' ' : each)
        .limit(Refusals.MAX_TEXT_BYTES)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static void requireWhole(ByteBuffer frame) throws ProtocolException {
    int bytes = frame.remaining() - Frame.HEADER_BYTES;
    if (Frame.hasMore(frame) || Frame.lengthBytes(frame) != bytes) {
      throw new ProtocolException(
          "a frame of %d bytes that says %d, or more to come"
              .formatted(bytes, Frame.lengthBytes(frame)));
    }
  }

  private void deliver(Link link, byte kind, long id, ByteBuffer message) throws ProtocolException {
    switch (kind) {
      case Frame.MESSAGE:
        program.message(link.peer, message);
        break;
      case Frame.REQUEST:
        request(link, id, message);
        break;
      case Frame.NODES:
        program.exchange(link.peer, message);
        break;
      case Frame.REPLY, Frame.FAILURE:
        link.peer.calls().replied(kind, id, message);
        break;
      default:
        throw new ProtocolException("a message of unknown kind " + kind);
    }
  }

  private void request(Link link, long id, ByteBuffer message) throws ProtocolException {
    Outbox outbox = link.peer.outbox();
    if (outbox.replies() > maxReplies || outbox.replyBytes() > maxReplyBytes) {
      throw new ProtocolException("it sends requests and receives no replies");
    }
    program.request(link.peer, message, new Reply(link.peer, link, id));
  }
}
