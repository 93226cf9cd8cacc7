// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.LinkAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Says who is at this end of a cable, and whom it hears there. Sent from each interface.
 *
 * <pre>
 *  flags            u8    bit 0: the sender leaves the mesh; others 0, ignored
 *  node name        u8 length, 1 to 32 bytes of UTF-8 without control characters
 *  job              u8 length, 0 to 32 bytes, as above
 *  interface name   u8 length, 1 to 15 bytes, as above
 *  MTU              u32, bytes, 0 if unknown
 *  speed            u32, megabits per second, 0 if unknown
 *  send time        u64, ns by the sender's clock; only the sender knows its origin
 *  database digest  u64, of the sender's link-state database
 *  addresses        u8 count, 0 to 8; each a u8 prefix length and a 16-byte GID
 *  seen neighbours  u8 count, 0 to 4; each a {@link SeenNeighbour}
 * </pre>
 *
 * @param addresses of the interface, in the kernel's order
 * @param seen of the interface, no interface of a node twice
 */
public record NeighbourHello(
    boolean leaving,
    String name,
    String job,
    String interfaceName,
    int mtu,
    int speedMbps,
    long sentNs,
    long databaseDigest,
    List<LinkAddress> addresses,
    List<SeenNeighbour> seen)
    implements DatagramBody {
  /** Max length of a node's name and of a job's, in bytes. */
  public static final int MAX_NAME_BYTES = 32;

  /** IFNAMSIZ without the final zero (netdevice(7)). */
  public static final int MAX_INTERFACE_NAME_BYTES = 15;

  /** Max addresses of an interface; further ones are left out by the sender. */
  public static final int MAX_ADDRESSES = 8;

  /** Max neighbours on one interface: two on a cable with a fault, a few behind a switch. */
  public static final int MAX_SEEN = 4;

  static final int FLAG_LEAVING = 1;

  public NeighbourHello {
    BodyReader.requireText("the name", name, 1, MAX_NAME_BYTES);
    BodyReader.requireText("the job", job, 0, MAX_NAME_BYTES);
    BodyReader.requireText("the interface's name", interfaceName, 1, MAX_INTERFACE_NAME_BYTES);
    if (mtu < 0 || speedMbps < 0) {
      throw new IllegalArgumentException("MTU " + mtu + " or speed " + speedMbps + " is negative");
    }
    addresses = List.copyOf(addresses);
    seen = List.copyOf(seen);
    BodyReader.requireMax("addresses", addresses, MAX_ADDRESSES);
    BodyReader.requireMax("seen neighbours", seen, MAX_SEEN);
    Set<List<Object>> ends = new HashSet<>();
    for (SeenNeighbour each : seen) {
      if (!ends.add(List.of(each.node(), each.interfaceIndex()))) {
        throw new IllegalArgumentException("an interface of " + each.node() + " is seen twice");
      }
    }
  }

  /** What the sender says of a node and of the interface that it heard it from. */
  public Optional<SeenNeighbour> seen(NodeId node, int interfaceIndex) {
    return seen.stream()
        .filter(each -> each.node().equals(node) && each.interfaceIndex() == interfaceIndex)
        .findFirst();
  }

  @Override
  public DatagramType type() {
    return DatagramType.HELLO;
  }

  @Override
  public void writeTo(ByteBuffer datagram) {
    datagram.put((byte) (leaving ? FLAG_LEAVING : 0));
    BodyReader.writeText(datagram, name);
    BodyReader.writeText(datagram, job);
    BodyReader.writeText(datagram, interfaceName);
    datagram.putInt(mtu).putInt(speedMbps).putLong(sentNs).putLong(databaseDigest);
    datagram.put((byte) addresses.size());
    addresses.forEach(each -> BodyReader.writeAddress(datagram, each));
    datagram.put((byte) seen.size());
    seen.forEach(each -> each.writeTo(datagram));
  }

  /** Reads the whole body or refuses it. */
  public static NeighbourHello decode(BodyReader body) throws MalformedDatagram {
    boolean leaving = (body.u8() & FLAG_LEAVING) != 0;
    String name = body.text(MAX_NAME_BYTES);
    String job = body.text(MAX_NAME_BYTES);
    String interfaceName = body.text(MAX_INTERFACE_NAME_BYTES);
    int mtu = body.i32();
    int speedMbps = body.i32();
    long sentNs = body.i64();
    long digest = body.i64();
    List<LinkAddress> addresses = body.list(MAX_ADDRESSES, BodyReader::address);
    List<SeenNeighbour> seen = body.list(MAX_SEEN, SeenNeighbour::read);
    body.end();
    try {
      return new NeighbourHello(
          leaving, name, job, interfaceName, mtu, speedMbps, sentNs, digest, addresses, seen);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
