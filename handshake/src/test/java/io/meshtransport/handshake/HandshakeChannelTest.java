// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a {@link HandshakeChannel} hands on of bytes that are no message. */
class HandshakeChannelTest {
  /** The text of what came together with the byte that is wrong. */
  private final List<String> arrived = new ArrayList<>();

  private final EmbeddedChannel connection = new EmbeddedChannel(new Malformed());

  private final class Malformed extends HandshakeChannel {
    Malformed() {
      super(new HandshakeCounters(), new FrameAssembler());
    }

    @Override
    void opened() {}

    @Override
    void reused() {}

    @Override
    void received(byte[] raw) {}

    @Override
    void malformed(Reason reason, String text, ByteBuffer bytes) {
      arrived.add(StandardCharsets.US_ASCII.decode(bytes).toString());
    }

    @Override
    void disconnected(String why) {}
  }

  private void read(byte[] bytes) {
    connection.writeInbound(Unpooled.wrappedBuffer(bytes));
  }

  @Test
  void shouldHandOnWhatBeginsAsNoMessage() {
    read("SSH-2.0".getBytes(StandardCharsets.US_ASCII));
    assertEquals(List.of("SSH-2.0"), arrived);
  }

  /** What comes last does not begin as a message does, and says nothing of its sender. */
  @Test
  void shouldHandOnNothingOfAMessageThatHadBegunBefore() {
    byte[] header = HandshakeFrameHeader.begin(HandshakeFrameType.QUERY, 64).array();
    read(new byte[] {header[0], header[1]});
    read(new byte[] {(byte) ~header[2]});
    assertEquals(List.of(""), arrived);
  }
}
