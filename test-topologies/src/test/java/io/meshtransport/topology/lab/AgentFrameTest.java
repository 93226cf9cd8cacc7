// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgentFrameTest {
  private static byte[] bytes(AgentFrame... frames) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (AgentFrame frame : frames) {
      frame.write(new DataOutputStream(out));
    }
    return out.toByteArray();
  }

  private static DataInputStream stream(byte[] bytes) {
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  @Test
  void shouldHaveTheDocumentedLayout() throws IOException {
    assertEquals(
        "05" + "00000007" + "00000002" + "6869",
        HexFormat.of().formatHex(bytes(AgentFrame.of(AgentFrame.Kind.OUTPUT, 7, "hi"))));
  }

  @Test
  void shouldReadWhatWasWrittenAndThenTheEnd() throws IOException {
    DataInputStream in =
        stream(
            bytes(
                AgentFrame.of(AgentFrame.Kind.SIGNAL, 3, "STOP"),
                AgentFrame.end(AgentFrame.Kind.INPUT, -1)));

    AgentFrame signal = AgentFrame.read(in).orElseThrow();
    assertEquals(AgentFrame.Kind.SIGNAL, signal.kind());
    assertEquals(3, signal.program());
    assertEquals("STOP", signal.text());
    AgentFrame end = AgentFrame.read(in).orElseThrow();
    assertEquals(-1, end.program());
    assertTrue(end.isEnd());
    assertTrue(AgentFrame.read(in).isEmpty());
  }

  @Test
  void shouldRefuseAStreamThatEndsWithinAFrame() throws IOException {
    byte[] whole = bytes(AgentFrame.of(AgentFrame.Kind.ERRORS, 1, "some text"));
    for (int length = 1; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThrows(
          IOException.class, () -> AgentFrame.read(stream(part)), "of " + length + " bytes");
    }
  }

  @Test
  void shouldRefuseWhatIsNoFrame() throws IOException {
    byte[] kind = bytes(AgentFrame.of(AgentFrame.Kind.EXIT, 1, "0"));
    kind[0] = 99;
    byte[] length = bytes(AgentFrame.of(AgentFrame.Kind.EXIT, 1, "0"));
    length[5] = (byte) 0xFF;
    byte[] large = bytes(AgentFrame.of(AgentFrame.Kind.EXIT, 1, "0"));
    large[5] = 0x7F;

    for (byte[] wrong : List.of(kind, length, large)) {
      assertThrows(IOException.class, () -> AgentFrame.read(stream(wrong)));
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> new AgentFrame(AgentFrame.Kind.INPUT, 1, new byte[AgentFrame.MAX_BYTES + 1]));
  }

  @Test
  void shouldCarryARequestWithEveryKindOfText() throws IOException {
    StartRequest request =
        new StartRequest(
            List.of("echo", "", "two words", "\u00e4\u20ac\n"),
            Map.of("EMPTY", "", "PATH", "/bin:/usr/bin", "LONG", "x".repeat(70_000)),
            "/tmp/\u00fc",
            true);

    assertEquals(request, StartRequest.decode(request.encode()));
    assertArrayEquals(
        request.encode(), StartRequest.decode(request.encode()).encode(), "in the same order");
  }
}
