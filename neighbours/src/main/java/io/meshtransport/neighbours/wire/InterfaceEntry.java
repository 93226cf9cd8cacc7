// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.LinkAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An interface of a node, in its record.
 *
 * <pre>
 *  interface index   u32, 1 to 2^31-1
 *  name              u8 length, 1 to 15 bytes of UTF-8 without control characters
 *  MTU               u32, bytes, 0 if unknown
 *  speed             u32, megabits per second, 0 if unknown
 *  addresses         u8 count, 0 to 4; each a u8 prefix length and a 16-byte GID
 * </pre>
 */
public record InterfaceEntry(
    int index, String name, int mtu, int speedMbps, List<LinkAddress> addresses) {
  /** Max addresses in a record; further ones are left out by the origin. */
  public static final int MAX_ADDRESSES = 4;

  public InterfaceEntry {
    if (index < 1) {
      throw new IllegalArgumentException("interface index " + index + " is not positive");
    }
    BodyReader.requireText(
        "the interface's name", name, 1, NeighbourHello.MAX_INTERFACE_NAME_BYTES);
    if (mtu < 0 || speedMbps < 0) {
      throw new IllegalArgumentException("MTU " + mtu + " or speed " + speedMbps + " is negative");
    }
    addresses = List.copyOf(addresses);
    BodyReader.requireMax("addresses", addresses, MAX_ADDRESSES);
  }

  /**
   * Its name and addresses, for people: as in {@code eth1 10.0.1.1}. Link-local ones only where
   * there are no others.
   */
  public String description() {
    boolean isLinkLocalOnly = addresses.stream().allMatch(LinkAddress::isLinkLocal);
    return addresses.stream()
        .filter(each -> isLinkLocalOnly || !each.isLinkLocal())
        .map(each -> " " + AddressText.of(each.address()))
        .collect(Collectors.joining("", name, ""));
  }

  void writeTo(ByteBuffer datagram) {
    datagram.putInt(index);
    BodyReader.writeText(datagram, name);
    datagram.putInt(mtu).putInt(speedMbps).put((byte) addresses.size());
    addresses.forEach(each -> BodyReader.writeAddress(datagram, each));
  }

  static InterfaceEntry read(BodyReader body) throws MalformedDatagram {
    int index = body.i32();
    String name = body.text(NeighbourHello.MAX_INTERFACE_NAME_BYTES);
    int mtu = body.i32();
    int speedMbps = body.i32();
    List<LinkAddress> addresses = body.list(MAX_ADDRESSES, BodyReader::address);
    try {
      return new InterfaceEntry(index, name, mtu, speedMbps, addresses);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
