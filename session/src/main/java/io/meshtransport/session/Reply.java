// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** Answers one request of a peer, once. Any thread may call it. */
public final class Reply {
  private static final int MAX_TEXT_BYTES = 1_024;

  private final PeerSession peer;
  private final Link link;
  private final long id;
  private final AtomicBoolean answered = new AtomicBoolean();

  Reply(PeerSession peer, Link link, long id) {
    this.peer = peer;
    this.link = link;
    this.id = id;
  }

  /**
   * Sends the reply, or a copy of it once the peer can receive it. Never blocks. Does nothing once
   * the connection that the request came over is gone, because the request has failed with it.
   *
   * @param message from its position to its limit, which stay as they are; at most {@link
   *     Session#maxMessageBytes}
   * @throws IllegalStateException if the request was answered before
   * @throws IllegalArgumentException if the message is too long; the request can still be answered
   */
  public void send(ByteBuffer message) {
    answer(Frame.REPLY, message);
  }

  /**
   * Says that there is no reply: the call fails with REFUSED and this text.
   *
   * @param why for people; cut after some 1,000 characters
   */
  public void fail(String why) {
    answer(Frame.FAILURE, text(why));
  }

  private ByteBuffer text(String why) {
    byte[] text = why.getBytes(StandardCharsets.UTF_8);
    int lengthBytes = Math.min(text.length, Math.min(MAX_TEXT_BYTES, peer.maxMessageBytes()));
    return ByteBuffer.wrap(text, 0, lengthBytes);
  }

  /** As {@link #fail}, if the request is not answered yet. */
  void failUnlessAnswered(String why) {
    if (answered.compareAndSet(false, true)) {
      peer.reply(link, Frame.FAILURE, id, text(why));
    }
  }

  private void answer(byte kind, ByteBuffer message) {
    peer.requireLength(message);
    if (!answered.compareAndSet(false, true)) {
      throw new IllegalStateException("request " + id + " of " + peer + " was answered before");
    }
    peer.reply(link, kind, id, message);
  }
}
