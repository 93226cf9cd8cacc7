// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * What a node says of itself to all nodes: the link-state record. At most {@value
 * #MAX_LENGTH_BYTES} bytes.
 *
 * <pre>
 *    0  node id       16 bytes
 *   16  incarnation   u64, 1 to 2^62
 *   24  sequence      u64, 1 to 2^62
 *   32  flags         u8    bit 0: the node has left; others 0, ignored
 *   33  name          u8 length, 1 to 32 bytes of UTF-8 without control characters
 *       interfaces    u8 count, 0 to 16; each an {@link InterfaceEntry}, no index twice
 *       links         u8 count, 0 to 32; each a {@link LinkEntry} of one of the interfaces
 *       services      u8 count, 0 to 8; each a {@link ServiceEntry}, no name twice
 * </pre>
 *
 * @param left whether the node has ended in an orderly way; then it has no links and no services
 */
public record NodeRecord(
    NodeId origin,
    long incarnation,
    long sequence,
    boolean left,
    String name,
    List<InterfaceEntry> interfaces,
    List<LinkEntry> links,
    List<ServiceEntry> services) {
  /** Max length of a record. */
  public static final int MAX_LENGTH_BYTES = 4096;

  /** Max interfaces of a record. */
  public static final int MAX_INTERFACES = 16;

  /** Max links of a record. */
  public static final int MAX_LINKS = 32;

  /** Max services of a record. */
  public static final int MAX_SERVICES = 8;

  static final int FLAG_LEFT = 1;

  /** Longest content, each field at its bound; records that are longer than allowed are refused. */
  private static final int BUFFER_BYTES = 2 * MAX_LENGTH_BYTES + 1024;

  public NodeRecord {
    RecordVersion version = new RecordVersion(origin, incarnation, sequence, 0);
    assert version.sequence() == sequence;
    BodyReader.requireText("the name", name, 1, NeighbourHello.MAX_NAME_BYTES);
    interfaces = List.copyOf(interfaces);
    links = List.copyOf(links);
    services = List.copyOf(services);
    BodyReader.requireMax("interfaces", interfaces, MAX_INTERFACES);
    BodyReader.requireMax("links", links, MAX_LINKS);
    BodyReader.requireMax("services", services, MAX_SERVICES);
    requireDistinct(interfaces, links, services);
    if (left && !(links.isEmpty() && services.isEmpty())) {
      throw new IllegalArgumentException("a node that has left has links or services");
    }
    for (LinkEntry link : links) {
      if (link.peer().equals(origin)) {
        throw new IllegalArgumentException("a link leads to its own node");
      }
    }
  }

  private static void requireDistinct(
      List<InterfaceEntry> interfaces, List<LinkEntry> links, List<ServiceEntry> services) {
    Set<Integer> indices = new HashSet<>();
    for (InterfaceEntry each : interfaces) {
      if (!indices.add(each.index())) {
        throw new IllegalArgumentException("interface " + each.index() + " is listed twice");
      }
    }
    Set<List<Object>> ends = new HashSet<>();
    for (LinkEntry each : links) {
      if (!indices.contains(each.interfaceIndex())) {
        throw new IllegalArgumentException("a link is on an interface that is not listed");
      }
      if (!ends.add(List.of(each.peer(), each.interfaceIndex(), each.peerInterfaceIndex()))) {
        throw new IllegalArgumentException("a link to " + each.peer() + " is listed twice");
      }
    }
    Set<String> names = new HashSet<>();
    for (ServiceEntry each : services) {
      if (!names.add(each.name())) {
        throw new IllegalArgumentException("service " + each.name() + " is listed twice");
      }
    }
  }

  /**
   * The bytes.
   *
   * @throws IllegalArgumentException if they are more than {@value #MAX_LENGTH_BYTES}
   */
  public byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(BUFFER_BYTES);
    BodyReader.writeNode(bytes, origin);
    bytes.putLong(incarnation).putLong(sequence).put((byte) (left ? FLAG_LEFT : 0));
    BodyReader.writeText(bytes, name);
    bytes.put((byte) interfaces.size());
    interfaces.forEach(each -> each.writeTo(bytes));
    bytes.put((byte) links.size());
    links.forEach(each -> each.writeTo(bytes));
    bytes.put((byte) services.size());
    services.forEach(each -> each.writeTo(bytes));
    if (bytes.position() > MAX_LENGTH_BYTES) {
      throw new IllegalArgumentException(
          "the record of %s would have %d bytes, at most %d: publish fewer services or shorter handles"
              .formatted(name, bytes.position(), MAX_LENGTH_BYTES));
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  static NodeRecord read(BodyReader body) throws MalformedDatagram {
    NodeId origin = body.node();
    long incarnation = body.i64();
    long sequence = body.i64();
    boolean left = (body.u8() & FLAG_LEFT) != 0;
    String name = body.text(NeighbourHello.MAX_NAME_BYTES);
    List<InterfaceEntry> interfaces = body.list(MAX_INTERFACES, InterfaceEntry::read);
    List<LinkEntry> links = body.list(MAX_LINKS, LinkEntry::read);
    List<ServiceEntry> services = body.list(MAX_SERVICES, ServiceEntry::read);
    try {
      return new NodeRecord(origin, incarnation, sequence, left, name, interfaces, links, services);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }

  /** Whether another record of the same node says the same, under a later sequence number. */
  public boolean isRefreshedBy(NodeRecord later) {
    return origin.equals(later.origin)
        && incarnation == later.incarnation
        && left == later.left
        && name.equals(later.name)
        && interfaces.equals(later.interfaces)
        && links.equals(later.links)
        && services.equals(later.services);
  }

  /** The version that these bytes of it are. */
  public RecordVersion version(byte[] encoded) {
    CRC32C crc = new CRC32C();
    crc.update(encoded);
    return new RecordVersion(origin, incarnation, sequence, (int) crc.getValue());
  }
}
