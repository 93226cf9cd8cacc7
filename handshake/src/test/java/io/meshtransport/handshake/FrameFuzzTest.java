// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random and damaged bytes, without a network: refused or incomplete, never accepted. */
class FrameFuzzTest {
  private final Map<Reason, Integer> refusals = new EnumMap<>(Reason.class);
  private int incomplete;

  private void refuse(byte[] bytes) {
    try {
      Optional<byte[]> whole = new FrameAssembler().assemble(ByteBuffer.wrap(bytes));
      if (whole.isPresent()) {
        HandshakeFrame taken = HandshakeFrame.decode(whole.get());
        throw new AssertionError("taken: " + taken + " from " + java.util.Arrays.toString(bytes));
      }
      incomplete++;
    } catch (WireException e) {
      refusals.merge(e.reason(), 1, Integer::sum);
    }
  }

  @Test
  void shouldRefuseEveryTruncationAndEveryFlippedByteOfEveryFrame() {
    int damages = 0;
    for (HandshakeFrame frame : Samples.frames()) {
      for (byte[] damaged : Samples.damaged(frame.encode())) {
        refuse(damaged);
        damages++;
      }
    }
    int refused = refusals.values().stream().mapToInt(Integer::intValue).sum();
    assertEquals(damages, refused + incomplete);
    assertTrue(refusals.get(Reason.VERSION) > 0);
    assertTrue(refusals.get(Reason.GARBAGE) > 0);
  }

  @Test
  void shouldRefuseAHundredThousandRandomHellos() {
    Random random = new Random(Samples.seed());
    for (int i = 0; i < 100_000; i++) {
      refuse(Samples.random(random));
    }
    int refused = refusals.values().stream().mapToInt(Integer::intValue).sum();
    assertEquals(100_000, refused + incomplete);
    // Those that begin well and are long enough come as far as the CRC.
    assertTrue(refusals.get(Reason.GARBAGE) > 1000);
  }

  @Test
  void shouldRefuseByTheFirstBadByteAlone() {
    assertThrows(
        WireException.class,
        () -> new FrameAssembler().assemble(ByteBuffer.wrap(new byte[] {'X'})));
    WireException legacy =
        assertThrows(
            WireException.class, () -> new FrameAssembler().assemble(ByteBuffer.wrap(new byte[1])));
    assertEquals(Reason.LEGACY, legacy.reason());
    assertTrue(legacy.reason().description().contains("MESH_COMPAT"));
  }

  @Test
  void shouldAssembleFramesHoweverTheStreamIsCut() throws Exception {
    Random random = new Random(Samples.seed());
    for (int round = 0; round < 1000; round++) {
      FrameAssembler assembler = new FrameAssembler();
      for (HandshakeFrame frame : Samples.frames()) {
        byte[] bytes = frame.encode();
        int cut = random.nextInt(bytes.length);
        assertTrue(assembler.assemble(ByteBuffer.wrap(bytes, 0, cut)).isEmpty());
        ByteBuffer rest = ByteBuffer.allocate(bytes.length - cut + 1);
        // One byte of the next frame must stay for the next call.
        rest.put(bytes, cut, bytes.length - cut).put((byte) 'M').flip();
        assertArrayEquals(bytes, assembler.assemble(rest).orElseThrow());
        assertEquals(1, rest.remaining());
      }
    }
  }
}
