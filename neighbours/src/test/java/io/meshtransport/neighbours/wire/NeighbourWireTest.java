// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.SharedSecret;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Pins every byte, and feeds what is cut, flipped and random to {@link DatagramHeader}, {@link
 * DatagramSeal}, {@link DatagramBody}, {@link BodyReader}, {@link RecordAcknowledgement} and the
 * other bodies.
 */
class NeighbourWireTest {
  private static final String HEADER_END =
      "3031323334353637" // job
          + "101112131415161718191a1b1c1d1e1f" // sender
          + "0000000000004041" // incarnation
          + "6061626364656667" // counter
          + "00000051"; // interface index

  private static final String RECORD =
      "101112131415161718191a1b1c1d1e1f" // node
          + "0000000000000005" // incarnation
          + "0000000000000006" // sequence
          + "00" // flags
          + "066e6f64652d61" // name
          + "01" // interfaces
          + "00000003" // index
          + "0465746830" // name
          + "000005dc" // MTU
          + "000061a8" // speed
          + "01" // addresses
          + "18" // prefix length
          + "00000000000000000000ffff0a000101" // address
          + "01" // links
          + "202122232425262728292a2b2c2d2e2f" // peer
          + "00000003" // interface
          + "00000004" // peer's interface
          + "000061a8" // rate
          + "00000384" // latency
          + "000005dc" // MTU
          + "02" // condition
          + "01" // services
          + "026b76" // name
          + "0003010203"; // handle

  private static final String VERSION_START =
      "101112131415161718191a1b1c1d1e1f" + "0000000000000005" + "0000000000000006";

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static void pin(String start, String body, DatagramBody value) throws Exception {
    byte[] datagram = WireSamples.PLAIN.encode(WireSamples.header(value), value);
    String content = "4d534e42" + start + HEADER_END + "00000000" + body;
    CRC32C crc = new CRC32C();
    crc.update(HexFormat.of().parseHex(content));
    assertEquals(content + "%08x".formatted(crc.getValue()), hex(datagram));
    assertEquals(value, WireSamples.decode(datagram));
    assertEquals(WireSamples.header(value), DatagramHeader.decode(datagram));
  }

  @Test
  void shouldWriteHelloAsDrawn() throws Exception {
    pin(
        "010100bd",
        "01" // leaves
            + "066e6f64652d61" // name
            + "036a6f62" // job
            + "0465746830" // interface
            + "000005dc" // MTU
            + "000061a8" // speed
            + "7071727374757677" // send time
            + "8081828384858687" // digest
            + "02" // addresses
            + "1800000000000000000000ffff0a000101"
            + "40fe800000000000000000000000000001"
            + "01" // seen
            + "202122232425262728292a2b2c2d2e2f"
            + "00000007" // interface index
            + "0000000000000090" // nonce
            + "00000000000000a0" // echo
            + "00000000000000b0" // echoed send time
            + "00000000000000c0", // delay
        WireSamples.hello());
  }

  @Test
  void shouldWriteRecordsAsDrawn() throws Exception {
    pin("010200bb", "00015f90" + RECORD, WireSamples.bodies().get(1));
  }

  @Test
  void shouldWriteAcknowledgementsAndSummariesAsDrawn() throws Exception {
    CRC32C crc = new CRC32C();
    crc.update(HexFormat.of().parseHex(RECORD));
    String version = VERSION_START + "%08x".formatted(crc.getValue());
    pin("01030060", version, WireSamples.bodies().get(2));
    pin(
        "01040081",
        "00".repeat(16) + "ff".repeat(16) + "01" + version,
        WireSamples.bodies().get(3));
  }

  @Test
  void shouldSealWithAMacWhereThereIsASecret() {
    for (DatagramBody body : WireSamples.bodies()) {
      DatagramHeader header = WireSamples.header(body);
      byte[] plain = WireSamples.PLAIN.encode(header, body);
      byte[] sealed = WireSamples.SECRET.encode(header, body);
      assertEquals(plain.length + 28, sealed.length);
      assertTrue(WireSamples.SECRET.matches(sealed));
      assertFalse(WireSamples.PLAIN.matches(sealed));
      assertFalse(WireSamples.SECRET.matches(plain));
      assertEquals(
          Optional.of(OtherSecret.Difference.ONLY_THERE), WireSamples.PLAIN.difference(sealed));
      assertEquals(
          Optional.of(OtherSecret.Difference.ONLY_HERE), WireSamples.SECRET.difference(plain));
      assertEquals(
          Optional.of(OtherSecret.Difference.DIFFERENT),
          new DatagramSeal(Optional.of(SharedSecret.of("another secret 1"))).difference(sealed));
      assertEquals(Optional.empty(), WireSamples.SECRET.difference(sealed));
      assertEquals(Optional.empty(), WireSamples.PLAIN.difference(plain));
      plain[plain.length - 1]++;
      assertEquals(Optional.empty(), WireSamples.SECRET.difference(plain), "damaged");
    }
  }

  @Test
  void shouldRefuseEachTruncationAndEachFlippedBit() {
    for (DatagramSeal seal : List.of(WireSamples.PLAIN, WireSamples.SECRET)) {
      for (DatagramBody body : WireSamples.bodies()) {
        byte[] datagram = seal.encode(WireSamples.header(body), body);
        for (int length = 0; length < datagram.length; length++) {
          assertRefused(seal, Arrays.copyOf(datagram, length));
        }
        assertRefused(seal, Arrays.copyOf(datagram, datagram.length + 1));
        for (int bit = 0; bit < datagram.length * Byte.SIZE; bit++) {
          byte[] flipped = datagram.clone();
          flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
          assertRefused(seal, flipped);
        }
      }
    }
  }

  private static void assertRefused(DatagramSeal seal, byte[] datagram) {
    try {
      DatagramHeader.decode(datagram);
    } catch (MalformedDatagram e) {
      return;
    }
    assertFalse(seal.matches(datagram), hex(datagram));
  }

  /** Bodies with a valid trailer: decoded to what encodes again, or refused. */
  @Property
  void shouldDecodeWholeOrRefuse(@ForAll long seed) {
    Random random = new Random(seed);
    DatagramBody body = WireSamples.random(random);
    byte[] datagram = WireSamples.PLAIN.encode(WireSamples.header(body), body);
    for (int i = 0; i < 20; i++) {
      byte[] changed = datagram.clone();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        int at =
            DatagramHeader.LENGTH_BYTES
                + random.nextInt(changed.length - DatagramHeader.LENGTH_BYTES);
        changed[at] = (byte) random.nextInt(256);
      }
      try {
        DatagramBody read = WireSamples.decode(changed);
        byte[] again = WireSamples.PLAIN.encode(WireSamples.header(read), read);
        assertEquals(read, WireSamples.decode(again));
      } catch (MalformedDatagram refused) {
        assertEquals(0, refused.getStackTrace().length);
      } catch (Exception e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Property
  void shouldReadWhatItWrites(@ForAll long seed) throws Exception {
    DatagramBody body = WireSamples.random(new Random(seed));
    for (DatagramSeal seal : List.of(WireSamples.PLAIN, WireSamples.SECRET)) {
      byte[] datagram = seal.encode(WireSamples.header(body), body);
      assertTrue(datagram.length <= DatagramSeal.MAX_DATAGRAM_BYTES);
      assertTrue(seal.matches(datagram));
      assertEquals(body, WireSamples.decode(datagram));
    }
  }

  @Test
  void shouldIgnoreReservedBits() throws Exception {
    NeighbourHello hello = WireSamples.hello();
    byte[] datagram = WireSamples.PLAIN.encode(WireSamples.header(hello), hello);
    datagram[DatagramHeader.FLAGS_OFFSET] = 0x7f;
    datagram[DatagramHeader.FLAGS_OFFSET + 3] = 0x7f;
    datagram[DatagramHeader.LENGTH_BYTES] |= (byte) 0xfe;
    reseal(datagram);
    assertTrue(WireSamples.PLAIN.matches(datagram));
    assertEquals(hello, WireSamples.decode(datagram));
  }

  private static void reseal(byte[] datagram) {
    CRC32C crc = new CRC32C();
    crc.update(datagram, 0, datagram.length - Integer.BYTES);
    ByteBuffer.wrap(datagram).putInt(datagram.length - Integer.BYTES, (int) crc.getValue());
  }

  /** A flag of a later version survives a node of this one. */
  @Test
  void shouldPassOnTheBytesOfTheOrigin() throws Exception {
    byte[] bytes = WireSamples.record().encode();
    bytes[32] |= 0x40;
    EncodedRecord record = EncodedRecord.decode(bytes);
    assertEquals(WireSamples.record(), record.record());
    ByteBuffer written = ByteBuffer.allocate(record.lengthBytes());
    record.writeTo(written);
    assertArrayEquals(bytes, written.array());
  }

  @Test
  void shouldOrderVersionsByIncarnationSequenceAndHash() {
    RecordVersion one = new RecordVersion(WireSamples.SENDER, 5, 6, 7);
    assertTrue(new RecordVersion(WireSamples.SENDER, 6, 1, 0).isNewerThan(one));
    assertTrue(new RecordVersion(WireSamples.SENDER, 5, 7, 0).isNewerThan(one));
    assertTrue(new RecordVersion(WireSamples.SENDER, 5, 6, -8).isNewerThan(one));
    assertFalse(one.isNewerThan(one));
    assertFalse(new RecordVersion(WireSamples.SENDER, 4, 9, 9).isNewerThan(one));
  }

  @Test
  void shouldRefuseWhatDoesNotFitTogether() {
    NodeRecord good = WireSamples.record();
    assertRefusedRecord(
        good,
        good.interfaces(),
        List.of(new LinkEntry(good.origin(), 3, 4, 1, 1, 1, LinkCondition.UP)));
    assertRefusedRecord(good, List.of(), good.links());
    assertRefusedRecord(good, good.interfaces(), List.of(good.links().get(0), good.links().get(0)));
    assertRefusedRecord(
        good, List.of(good.interfaces().get(0), good.interfaces().get(0)), List.of());
    assertThrows(
        IllegalArgumentException.class,
        () -> new DatabaseSummary(DatabaseSummary.HIGHEST, DatabaseSummary.LOWEST, List.of()));
    assertThrows(IllegalArgumentException.class, () -> new ServiceEntry("kv", new byte[513]));
    assertThrows(IllegalArgumentException.class, () -> new ServiceEntry("a\nb", new byte[1]));
  }

  private static void assertRefusedRecord(
      NodeRecord good, List<InterfaceEntry> interfaces, List<LinkEntry> links) {
    assertThrows(
        IllegalArgumentException.class,
        () -> new NodeRecord(good.origin(), 5, 6, false, "a", interfaces, links, List.of()));
  }

  @Test
  void shouldRefuseARecordThatIsTooLong() {
    NodeRecord good = WireSamples.record();
    List<ServiceEntry> services =
        IntStream.range(0, 8)
            .mapToObj(i -> new ServiceEntry("service-" + i, new byte[512]))
            .toList();
    NodeRecord tooLong =
        new NodeRecord(good.origin(), 5, 6, false, "a", good.interfaces(), good.links(), services);
    assertTrue(
        assertThrows(IllegalArgumentException.class, tooLong::encode)
            .getMessage()
            .contains("publish fewer services"));
  }
}
