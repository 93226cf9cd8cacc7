// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DirectoryMessageTest {
  private static final String GOLDEN =
      "04000002" // version 4, two nodes
          + "0002" // a member's address of two bytes
          + "abcd"
          + "0000000000000102"
          + "0003"
          + "0f" // length of the name
          + "01" // length of the label
          + "3139382e31382e302e313a34373931"
          + "61"
          + "0a0b0c"
          + "4000000000000000"
          + "0001"
          + "14"
          + "03"
          + "3139382e31392e3235352e3235353a3635353335"
          + "62c3b6"
          + "ff";

  private static final Node A =
      Nodes.node(Nodes.name(1, 4791), "a", 0x102, new byte[] {10, 11, 12});
  private static final Node B =
      Nodes.node(Nodes.name(0x1ffff, 65_535), "bö", Node.MAX_INCARNATION, new byte[] {-1});

  private static final byte[] MEMBER = {(byte) 0xab, (byte) 0xcd};

  private static DirectoryMessage message(Node sender, List<Node> others) {
    return new DirectoryMessage(sender, MEMBER, others);
  }

  private static List<byte[]> encode(Node sender, List<Node> others, int maxBytes) {
    return DirectoryMessage.encode(sender, MEMBER, others, maxBytes);
  }

  private static byte[] golden() {
    return HexFormat.of().parseHex(GOLDEN);
  }

  private static DirectoryMessage decode(byte[] message) throws ProtocolException {
    return DirectoryMessage.decode(ByteBuffer.wrap(message), Nodes::id);
  }

  private static void refuses(byte[] message, String because) {
    ProtocolException refusal =
        assertThrows(ProtocolException.class, () -> decode(message), because);
    assertTrue(refusal.getMessage().contains(because), refusal.getMessage());
  }

  private static byte[] with(int index, int... bytes) {
    byte[] message = golden();
    for (int i = 0; i < bytes.length; i++) {
      message[index + i] = (byte) bytes[i];
    }
    return message;
  }

  @Test
  void shouldWriteExactlyTheseBytes() {
    List<byte[]> messages = encode(A, List.of(B), DirectoryMessage.MIN_MESSAGE_BYTES);
    assertEquals(1, messages.size());
    assertEquals(GOLDEN, HexFormat.of().formatHex(messages.get(0)));
  }

  @Test
  void shouldReadExactlyTheseBytes() throws ProtocolException {
    assertEquals(message(A, List.of(B)), decode(golden()));
  }

  @Test
  void shouldReadFromPositionToLimitOfADirectBuffer() throws ProtocolException {
    ByteBuffer received = ByteBuffer.allocateDirect(200).position(16).put(golden());
    received.flip().position(16);
    assertEquals(message(A, List.of(B)), DirectoryMessage.decode(received, Nodes::id));
  }

  @Test
  void shouldRefuseEveryTruncation() {
    for (int length = 0; length < golden().length; length++) {
      byte[] part = Arrays.copyOf(golden(), length);
      assertThrows(ProtocolException.class, () -> decode(part), length + " bytes");
    }
  }

  @Test
  void shouldRefuseBytesAfterTheLastNode() {
    refuses(Arrays.copyOf(golden(), golden().length + 1), "1 bytes after");
  }

  @Test
  void shouldThrowNothingButProtocolExceptionForAnyValueOfAnyByte() {
    for (int index = 0; index < golden().length; index++) {
      for (int value = 0; value < 256; value++) {
        readOrRefuse(with(index, value));
      }
    }
  }

  @Test
  void shouldThrowNothingButProtocolExceptionForRandomBytes() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("DirectoryMessageTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 100_000; round++) {
      byte[] message = new byte[random.nextInt(80)];
      random.nextBytes(message);
      byte[] header = {4, 0, 0, (byte) (1 + random.nextInt(3)), 0, 0};
      System.arraycopy(header, 0, message, 0, Math.min(6, message.length));
      if (message.length > 19) {
        message[6] &= 0x3f;
        message[14] = 0;
        message[15] &= 0x0f;
        message[16] &= 0x0f;
        message[17] &= 0x0f;
      }
      readOrRefuse(message);
    }
  }

  private static void readOrRefuse(byte[] message) {
    try {
      DirectoryMessage read = decode(message);
      // What is read can be said again: nothing invalid gets past.
      List<byte[]> again =
          DirectoryMessage.encode(read.sender(), read.member(), read.others(), 1 << 20);
      assertEquals(read, decode(again.get(0)));
    } catch (ProtocolException e) {
      assertTrue(e.getMessage().contains("directory message"), e.getMessage());
    }
  }

  @Test
  void shouldSayWhatIsWrongAndWhere() {
    refuses(with(0, 1), "version 1");
    refuses(with(4, 0x01, 0x91), "an address of 401");
    refuses(with(4, 0x01, 0x00), "an address of 256");
    refuses(with(2, 0, 0), "0 nodes");
    refuses(with(2, 0x04, 0x02), "1026 nodes");
    refuses(with(2, 0, 3), "node 2");
    refuses(with(2, 0, 1), "after its last node");
    refuses(with(16, 0x02, 0x01), "handle of 513");
    refuses(with(8, 0x40, 0, 0, 0, 0, 0, 0, 1), "incarnation");
    refuses(with(8, 0x80), "incarnation");
    refuses(with(20, 0x0a), "control characters");
    refuses(with(20, 0xff), "node 0 of a directory message: its name is no UTF-8");
    refuses(with(35, 0x0a), "control characters");
    refuses(with(71, 0xff), "node 1 of a directory message: its label is no UTF-8");
  }

  @Test
  void shouldIgnoreTheReservedByte() throws ProtocolException {
    assertEquals(message(A, List.of(B)), decode(with(1, 0xff)));
  }

  @Test
  void shouldReadAndWriteTheLongestNodes() throws ProtocolException {
    Node longest =
        Nodes.node("m".repeat(240), "n".repeat(255), Node.MAX_INCARNATION, new byte[512]);
    Node other = Nodes.node(Nodes.name(2, 1), "ö".repeat(127), 0, new byte[512]);
    byte[] member = new byte[DirectoryMessage.MAX_MEMBER_BYTES];
    int maxBytes = DirectoryMessage.MIN_MESSAGE_BYTES;
    byte[] message = DirectoryMessage.encode(longest, member, List.of(longest), maxBytes).get(0);
    assertEquals(maxBytes, message.length);
    assertEquals(new DirectoryMessage(longest, member, List.of(longest)), decode(message));
    List<byte[]> two = DirectoryMessage.encode(longest, member, List.of(longest, other), maxBytes);
    assertEquals(2, two.size());
    assertEquals(new DirectoryMessage(longest, member, List.of(other)), decode(two.get(1)));
  }

  @Test
  void shouldLeaveOutAnAddressThatIsTooLong() throws ProtocolException {
    byte[] tooLong = new byte[DirectoryMessage.MAX_MEMBER_BYTES + 1];
    byte[] message =
        DirectoryMessage.encode(A, tooLong, List.of(B), DirectoryMessage.MIN_MESSAGE_BYTES).get(0);
    assertEquals(new DirectoryMessage(A, new byte[0], List.of(B)), decode(message));
  }

  @Test
  void shouldIntroduceItselfInOneMessage() throws ProtocolException {
    List<byte[]> messages = encode(A, List.of(), DirectoryMessage.MIN_MESSAGE_BYTES);
    assertEquals(1, messages.size());
    assertEquals(message(A, List.of()), decode(messages.get(0)));
  }

  @Test
  void shouldSplitADirectoryWithoutLosingOrRepeatingANode() throws ProtocolException {
    List<Node> all = IntStream.range(2, 2 + Directory.MAX_NODES).mapToObj(Nodes::node).toList();
    for (int maxBytes : new int[] {DirectoryMessage.MIN_MESSAGE_BYTES, 2500, 4096, 1 << 20}) {
      List<Node> told = new ArrayList<>();
      for (byte[] message : encode(A, all, maxBytes)) {
        assertTrue(message.length <= maxBytes, message.length + " of " + maxBytes);
        assertEquals(A, decode(message).sender());
        told.addAll(decode(message).others());
      }
      assertEquals(all, told);
    }
    assertEquals(1, encode(A, all, 1 << 20).size());
  }

  @Test
  void shouldSplitMoreNodesThanOneMessageMayCount() throws ProtocolException {
    List<Node> all = IntStream.range(2, 3 + Directory.MAX_NODES).mapToObj(Nodes::node).toList();
    List<byte[]> messages = encode(A, all, 1 << 20);
    assertEquals(2, messages.size());
    assertEquals(Directory.MAX_NODES, decode(messages.get(0)).others().size());
    assertEquals(1, decode(messages.get(1)).others().size());
    assertThrows(IllegalArgumentException.class, () -> message(A, all));
  }

  @Test
  void shouldRefuseABufferForLessThanTwoNodes() {
    assertThrows(
        IllegalArgumentException.class,
        () -> encode(A, List.of(), DirectoryMessage.MIN_MESSAGE_BYTES - 1));
  }

  @Test
  void shouldKeepTheBytesOfAHandleAsTheyAre() throws ProtocolException {
    byte[] handle = new byte[512];
    new Random(1).nextBytes(handle);
    Node node = Nodes.node(Nodes.name(1, 1), "n", 1, handle);
    byte[] message = encode(node, List.of(), DirectoryMessage.MIN_MESSAGE_BYTES).get(0);
    assertArrayEquals(handle, decode(message).sender().handle());
  }
}
