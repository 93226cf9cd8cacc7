// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.nic.LinkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** One datagram of each type with a value of its own in each field, and random ones. */
public final class WireSamples {
  static final NodeId SENDER = NodeId.parse("101112131415161718191a1b1c1d1e1f");
  static final NodeId OTHER = NodeId.parse("202122232425262728292a2b2c2d2e2f");
  static final DatagramSeal PLAIN = new DatagramSeal(Optional.empty());
  static final DatagramSeal SECRET =
      new DatagramSeal(Optional.of(SharedSecret.of("0123456789abcdef")));

  private WireSamples() {}

  static DatagramHeader header(DatagramBody body) {
    return new DatagramHeader(
        body.type(), 0x3031323334353637L, SENDER, 0x4041, 0x51, 0x6061626364656667L);
  }

  static NeighbourHello hello() {
    return new NeighbourHello(
        true,
        "node-a",
        "job",
        "eth0",
        1500,
        25_000,
        0x7071727374757677L,
        0x8081828384858687L,
        List.of(LinkAddress.parse("10.0.1.1/24"), LinkAddress.parse("fe80::1/64")),
        List.of(new SeenNeighbour(OTHER, 7, 0x90, 0xA0, 0xB0, 0xC0)));
  }

  static NodeRecord record() {
    return new NodeRecord(
        SENDER,
        5,
        6,
        false,
        "node-a",
        List.of(
            new InterfaceEntry(3, "eth0", 1500, 25_000, List.of(LinkAddress.parse("10.0.1.1/24")))),
        List.of(new LinkEntry(OTHER, 3, 4, 25_000, 900, 1500, LinkCondition.ACCEPTED)),
        List.of(new ServiceEntry("kv", new byte[] {1, 2, 3})));
  }

  static List<DatagramBody> bodies() {
    EncodedRecord record = EncodedRecord.of(record());
    return List.of(
        hello(),
        new RecordFlood(90_000, record),
        new RecordAcknowledgement(record.version()),
        new DatabaseSummary(
            DatabaseSummary.LOWEST, DatabaseSummary.HIGHEST, List.of(record.version())));
  }

  static DatagramBody decode(byte[] datagram) throws MalformedDatagram {
    DatagramHeader header = DatagramHeader.decode(datagram);
    BodyReader body = DatagramSeal.body(datagram);
    return switch (header.type()) {
      case HELLO -> NeighbourHello.decode(body);
      case RECORD -> RecordFlood.decode(body);
      case ACKNOWLEDGEMENT -> RecordAcknowledgement.decode(body);
      case SUMMARY -> DatabaseSummary.decode(body);
    };
  }

  private static String text(Random random, int min, int max) {
    StringBuilder text = new StringBuilder();
    int length = min + random.nextInt(max - min + 1);
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static NodeId id(Random random) {
    return new NodeId(random.nextLong(), random.nextLong() | 1);
  }

  private static int index(Random random) {
    return 1 + random.nextInt(Integer.MAX_VALUE);
  }

  private static List<LinkAddress> addresses(Random random, int max) {
    List<LinkAddress> addresses = new ArrayList<>();
    for (int i = random.nextInt(max + 1); i > 0; i--) {
      addresses.add(
          LinkAddress.parse(
              random.nextBoolean()
                  ? "10.%d.%d.1/%d".formatted(random.nextInt(256), i, random.nextInt(33))
                  : "fd00:%x::%x/%d".formatted(random.nextInt(65536), i, random.nextInt(129))));
    }
    return addresses;
  }

  /** A hello with everything up to its bounds. */
  static NeighbourHello hello(Random random) {
    List<SeenNeighbour> seen = new ArrayList<>();
    for (int i = random.nextInt(NeighbourHello.MAX_SEEN + 1); i > 0; i--) {
      seen.add(
          new SeenNeighbour(
              id(random),
              index(random),
              random.nextLong() | 1,
              random.nextLong(),
              random.nextLong(),
              random.nextLong() >>> 1));
    }
    return new NeighbourHello(
        random.nextBoolean(),
        text(random, 1, 32),
        text(random, 0, 32),
        text(random, 1, 15),
        random.nextInt(Integer.MAX_VALUE),
        random.nextInt(Integer.MAX_VALUE),
        random.nextLong(),
        random.nextLong(),
        addresses(random, NeighbourHello.MAX_ADDRESSES),
        seen);
  }

  /** A record of up to half of the entries that it may have, so that it is not too long. */
  public static NodeRecord record(Random random) {
    List<InterfaceEntry> interfaces = new ArrayList<>();
    List<LinkEntry> links = new ArrayList<>();
    List<ServiceEntry> services = new ArrayList<>();
    for (int i = random.nextInt(NodeRecord.MAX_INTERFACES / 2); i > 0; i--) {
      interfaces.add(
          new InterfaceEntry(
              i,
              text(random, 1, 15),
              random.nextInt(9001),
              random.nextInt(400_000),
              addresses(random, InterfaceEntry.MAX_ADDRESSES)));
      links.add(
          new LinkEntry(
              id(random),
              i,
              index(random),
              random.nextInt(9),
              random.nextInt(9),
              1500,
              LinkCondition.values()[random.nextInt(LinkCondition.values().length)]));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      byte[] handle = new byte[random.nextInt(ServiceEntry.MAX_HANDLE_BYTES + 1)];
      random.nextBytes(handle);
      services.add(new ServiceEntry("s" + i, handle));
    }
    return new NodeRecord(
        id(random),
        1 + random.nextInt(1000),
        1 + random.nextInt(1000),
        false,
        text(random, 1, 32),
        interfaces,
        links,
        services);
  }

  static DatabaseSummary summary(Random random) {
    List<RecordVersion> versions = new ArrayList<>();
    for (int i = random.nextInt(DatabaseSummary.MAX_VERSIONS + 1); i > 0; i--) {
      versions.add(new RecordVersion(id(random), 1 + random.nextInt(9), 1 + i, random.nextInt()));
    }
    versions.sort((one, other) -> RecordVersion.ID_ORDER.compare(one.origin(), other.origin()));
    return new DatabaseSummary(DatabaseSummary.LOWEST, DatabaseSummary.HIGHEST, versions);
  }

  static DatagramBody random(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> hello(random);
      case 1 ->
          new RecordFlood(
              random.nextInt(RecordFlood.MAX_LIFETIME_MS + 1), EncodedRecord.of(record(random)));
      case 2 -> new RecordAcknowledgement(EncodedRecord.of(record(random)).version());
      default -> summary(random);
    };
  }
}
