// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@link RankMessage}, {@link GroupHello}, {@link JoinRecord} and {@link Failure} as bytes. */
class RankMessageTest {
  private static final GroupMembership MEMBERS =
      new GroupMembership("g", "g", 0, List.of("a", "b"), 0);

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void shouldKeepItsBytes() {
    RankMessage message = new RankMessage(RankMessage.Kind.GOODBYE, 1, 0x01020304, new byte[] {7});
    assertEquals("020100000102030407", hex(message.encode().array()));
    RankMessage read = RankMessage.decode(message.encode(), 2).orElseThrow();
    assertEquals(1, read.origin());
    assertEquals(0x01020304, read.round());
    assertArrayEquals(new byte[] {7}, read.body());
  }

  @Test
  void shouldIgnoreWhatIsNoMessage() {
    byte[] bytes = new RankMessage(RankMessage.Kind.RECORD, 1, 0, new byte[0]).encode().array();
    for (int length = 0; length < bytes.length; length++) {
      assertTrue(RankMessage.decode(ByteBuffer.wrap(bytes, 0, length), 2).isEmpty());
    }
    assertTrue(RankMessage.decode(ByteBuffer.wrap(bytes), 1).isEmpty(), "origin");
    bytes[0] = 9;
    assertTrue(RankMessage.decode(ByteBuffer.wrap(bytes), 2).isEmpty(), "kind");
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RankMessage(RankMessage.Kind.RECORD, 0, 0, new byte[RankMessage.MAX_BYTES])
                .encode());
  }

  @Test
  void shouldSayHello() {
    GroupHello hello = new GroupHello(3, "abc", 0x0A0B_0C0D, 0x0102_0304);
    assertEquals("4d54434f050300030a0b0c0d01020304616263", hex(hello.encode()));
    assertEquals(Optional.of(hello), GroupHello.decode(hello.encode()));
    byte[] bytes = hello.encode();
    for (int i = 0; i < bytes.length; i++) {
      byte[] shorter = Arrays.copyOf(bytes, i);
      assertTrue(GroupHello.decode(shorter).isEmpty());
    }
    assertTrue(GroupHello.decode(Arrays.copyOf(bytes, bytes.length + 1)).isEmpty());
    for (byte version : new byte[] {1, 2, 3, 4, 6}) {
      bytes[4] = version;
      assertTrue(GroupHello.decode(bytes).isEmpty(), "version " + version);
    }
    assertThrows(
        IllegalArgumentException.class, () -> new GroupHello(0, "x".repeat(201), 0, 0).encode());
  }

  @Test
  void shouldCarryLinks() {
    JoinedGraph.Link link = new JoinedGraph.Link(0, 5, 123, 456, true, 3, true);
    byte[] bytes =
        new JoinRecord(
                "spec",
                List.of("10.0.1.1/24", "10.0.2.1/24"),
                new MemberHost("k", 2),
                List.of(link))
            .encode();
    JoinRecord record = JoinRecord.decode(bytes, 6).orElseThrow();
    assertEquals("spec", record.spec());
    assertEquals(new MemberHost("k", 2), record.host());
    int edges = JoinedGraph.encode(List.of(link)).length;
    for (int length = 0; length < bytes.length; length++) {
      Optional<JoinRecord> cut = JoinRecord.decode(Arrays.copyOf(bytes, length), 6);
      assertEquals(
          length == bytes.length - edges,
          cut.isPresent(),
          "only a record without links is shorter");
    }
    assertTrue(JoinRecord.decode(bytes, 5).isEmpty(), "there is no rank 5");
    assertEquals(List.of(link), record.links());
    assertEquals(List.of(link), new JoinedGraph(6, record.links()).links());
  }

  @Test
  void shouldCarryFailures() {
    Failure failure = new Failure(Reason.RANK_LOST, 1, "gone");
    assertEquals(failure, Failure.decode(failure.encode(), 2));
    CollectiveException thrown = failure.exception(MEMBERS, null);
    assertEquals("b", thrown.node());
    assertEquals(1, thrown.rank());
    Failure ofNobody = new Failure(Reason.TIMED_OUT, CollectiveException.NO_RANK, "late");
    assertEquals(ofNobody, Failure.decode(ofNobody.encode(), 2));
    assertEquals(Reason.ABORTED, Failure.decode(new byte[] {99, 0}, 2).reason());
  }
}
