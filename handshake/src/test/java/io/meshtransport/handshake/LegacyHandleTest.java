// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pins the C plugin's handle: a struct of its own compiler, so no byte of it is ours to change. */
class LegacyHandleTest {
  /** What a C plugin with two NICs wrote into a zeroed buffer, TCP port 0xb157. */
  private static final String WRITTEN_BY_C =
      "4853454d" // magic
          + "02000000" // two addresses, none chosen, LID 0
          + "000057b1" // queue pair 0, port
          + "01050000" // IB port 1, MTU 4096
          + "00000000" // PSN
          + "0a000201" // 10.0.2.1
          + "00000000000000000000ffff0a000201"
          + "0a000201ffffff0011000001"
          + "0a000101ffffff0011000101"
          + "00".repeat(4 * 12);

  /** The same from us: the number of the unused queue pair is left out. */
  private static final String WRITTEN_BY_US =
      WRITTEN_BY_C
          .replace("ffffff0011000001", "ffffff0000000001")
          .replace("ffffff0011000101", "ffffff0000000101");

  private static final int COUNT_AT = 4;
  private static final int PORT_AT = 10;
  private static final int IB_PORT_AT = 12;
  private static final int MTU_AT = 13;
  private static final int FIRST_ADDRESS_AT = 40;
  private static final int FIRST_MASK_AT = 44;

  private static byte[] fromC() {
    return HexFormat.of().parseHex(WRITTEN_BY_C);
  }

  private static LegacyHandle twoNics() throws Exception {
    return new LegacyHandle(
        0xb157,
        4096,
        Gid.of(InetAddress.getByName("10.0.2.1")),
        List.of(
            new LegacyAddress(LinkAddress.parse("10.0.2.1/24"), 0, 1),
            new LegacyAddress(LinkAddress.parse("10.0.1.1/24"), 1, 1)));
  }

  private static PeerHandle ours() {
    return new PeerHandle(
        Samples.SENDER,
        7,
        18515,
        List.of(new HandleAddress(LinkAddress.parse("10.0.2.1/24"), 0, 0)));
  }

  @Test
  void shouldReadWhatACPluginWrote() throws Exception {
    assertEquals(112, LegacyHandle.LENGTH_BYTES);
    assertEquals(twoNics(), LegacyHandle.decode(fromC()));
  }

  @Test
  void shouldWriteEveryByteInItsPlace() throws Exception {
    assertEquals(WRITTEN_BY_US, HexFormat.of().formatHex(twoNics().encode()));
  }

  @ParameterizedTest
  @CsvSource({"1, 256", "2, 512", "3, 1024", "4, 2048", "5, 4096"})
  void shouldReadAndWriteEveryMtu(int code, int mtuBytes) throws Exception {
    byte[] handle = fromC();
    handle[MTU_AT] = (byte) code;

    LegacyHandle read = LegacyHandle.decode(handle);

    assertEquals(mtuBytes, read.mtuBytes());
    assertEquals(code, read.encode()[MTU_AT]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.2.1/0", "10.0.2.1/1", "10.0.2.1/31", "10.0.2.1/32"})
  void shouldKeepEveryPrefixLength(String link) throws Exception {
    LegacyHandle handle =
        new LegacyHandle(
            1, 256, Gid.ZERO, List.of(new LegacyAddress(LinkAddress.parse(link), 255, 255)));

    assertEquals(handle, LegacyHandle.decode(handle.encode()));
  }

  @Test
  void shouldIgnoreWhatFollowsInAFrameworksSlot() throws Exception {
    byte[] slot = Arrays.copyOf(fromC(), 128);
    Arrays.fill(slot, 112, 128, (byte) 0xEE);

    assertEquals(twoNics(), LegacyHandle.decode(slot));
  }

  @Test
  void shouldDistinguishItsOwnFromOurs() throws Exception {
    assertTrue(LegacyHandle.isMeant(fromC()));
    assertFalse(LegacyHandle.isMeant(ours().encode()));
    assertFalse(LegacyHandle.isMeant(new byte[] {0x48, 0x53, 0x45}));
  }

  @Test
  void shouldCarryOurHandleBehindTheSlotOfACPlugin() throws Exception {
    PeerHandle ours = ours();
    byte[] both = new CompatHandle(twoNics(), ours).encode();

    assertEquals(twoNics(), LegacyHandle.decode(Arrays.copyOf(both, 128)));
    assertEquals(ours, PeerHandle.decodePadded(CompatHandle.ours(both)));
    assertArrayEquals(new byte[16], Arrays.copyOfRange(both, 112, 128));
    assertEquals(0, CompatHandle.ours(Arrays.copyOf(both, 128)).length);
    assertEquals(0, CompatHandle.ours(Arrays.copyOf(fromC(), 512)).length);
  }

  private static void assertRefused(int at, byte[] handle) {
    HandleFormatException refused =
        assertThrows(HandleFormatException.class, () -> LegacyHandle.decode(handle));
    assertEquals(at, refused.byteOffset(), refused.getMessage());
  }

  @Test
  void shouldRefuseEveryTruncation() {
    for (int length = 4; length < LegacyHandle.LENGTH_BYTES; length++) {
      assertRefused(length, Arrays.copyOf(fromC(), length));
    }
    assertRefused(0, new byte[0]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 128, 255})
  void shouldRefuseANumberOfAddressesThatDoesNotFit(int count) {
    byte[] handle = fromC();
    handle[COUNT_AT] = (byte) count;
    assertRefused(COUNT_AT, handle);
  }

  @Test
  void shouldRefuseAPluginThatCouldNotListen() {
    byte[] handle = fromC();
    handle[PORT_AT] = 0;
    handle[PORT_AT + 1] = 0;
    assertRefused(PORT_AT, handle);
  }

  @Test
  void shouldSayThatAPluginRunsInTcpMode() {
    byte[] handle = fromC();
    handle[IB_PORT_AT] = 0;
    handle[MTU_AT] = 0;
    HandleFormatException refused =
        assertThrows(HandleFormatException.class, () -> LegacyHandle.decode(handle));
    assertTrue(refused.getMessage().contains("TCP mode"), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 6, 255})
  void shouldRefuseAnMtuThatDoesNotExist(int code) {
    byte[] handle = fromC();
    handle[MTU_AT] = (byte) code;
    assertRefused(MTU_AT, handle);
  }

  @ParameterizedTest
  @ValueSource(strings = {"00000000", "e0000001", "ffffffff"})
  void shouldRefuseAnAddressThatNoHostHas(String address) {
    byte[] handle = fromC();
    System.arraycopy(HexFormat.of().parseHex(address), 0, handle, FIRST_ADDRESS_AT, 4);
    assertRefused(FIRST_ADDRESS_AT, handle);
  }

  @Test
  void shouldRefuseAMaskWithHoles() {
    byte[] handle = fromC();
    handle[FIRST_MASK_AT] = 0;
    assertRefused(FIRST_MASK_AT, handle);
  }

  @Test
  void shouldReadOrRefuseWhateverBytesThereAre() {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] handle = round % 2 == 0 ? fromC() : new byte[random.nextInt(300)];
      for (int flips = random.nextInt(8); flips >= 0 && handle.length > 0; flips--) {
        handle[random.nextInt(handle.length)] = (byte) random.nextInt();
      }
      try {
        LegacyHandle read = LegacyHandle.decode(handle);
        assertEquals(read, LegacyHandle.decode(read.encode()), "seed " + seed);
      } catch (HandleFormatException e) {
        assertTrue(
            e.byteOffset() >= 0 && e.byteOffset() <= handle.length, "seed " + seed + ": " + e);
      }
    }
  }

  @Test
  void shouldRefuseToWriteWhatCannotBeSaid() throws Exception {
    Gid gid = twoNics().gid();
    List<LegacyAddress> addresses = twoNics().addresses();
    assertThrows(IllegalArgumentException.class, () -> new LegacyHandle(0, 4096, gid, addresses));
    assertThrows(IllegalArgumentException.class, () -> new LegacyHandle(1, 1000, gid, addresses));
    assertThrows(IllegalArgumentException.class, () -> new LegacyHandle(1, 8192, gid, addresses));
    assertThrows(IllegalArgumentException.class, () -> new LegacyHandle(1, 4096, gid, List.of()));
    assertThrows(
        IllegalArgumentException.class,
        () -> new LegacyAddress(LinkAddress.parse("fd00::1/64"), 0, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> new LegacyAddress(LinkAddress.parse("10.0.0.1/24"), 256, 0));
  }
}
