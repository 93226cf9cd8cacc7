// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.Objects;

/**
 * An address of this host in the text form of RFC 4007, section 11: a link-local IPv6 one has its
 * zone, as in {@code fe80::1%to-b/64}, any other has none, as in {@code 10.0.1.1/24}. The zone is
 * the interface's name on this host and means nothing on another; {@link LinkAddress} compares
 * without it.
 *
 * @param link address and prefix length
 * @param zone name of the interface of an address of fe80::/10; empty of any other, or if unknown
 */
public record ZonedLinkAddress(LinkAddress link, String zone) {
  public ZonedLinkAddress {
    Objects.requireNonNull(link, "link");
    if (!zone.isEmpty() && !isZonedKind(link)) {
      throw new IllegalArgumentException(
          "'%s' is no link-local IPv6 address, so it has no zone: leave out '%%%s'"
              .formatted(link, zone));
    }
  }

  /** The address, which has the interface as its zone if it is of fe80::/10. */
  static ZonedLinkAddress at(LinkAddress link, String netdev) {
    return new ZonedLinkAddress(link, isZonedKind(link) ? netdev : "");
  }

  private static boolean isZonedKind(LinkAddress link) {
    return Gid.of(link.address()).isLinkLocal();
  }

  /**
   * Reads {@code 10.0.1.1/24}, {@code fe80::1/64} or {@code fe80::1%to-b/64}.
   *
   * @throws IllegalArgumentException for what {@link LinkAddress#parse} refuses without the zone,
   *     an empty zone, and a zone of an address that is not of fe80::/10
   */
  public static ZonedLinkAddress parse(String text) {
    int percent = text.indexOf('%');
    if (percent < 0) {
      return new ZonedLinkAddress(LinkAddress.parse(text), "");
    }
    int slash = text.indexOf('/', percent); // No name of an interface has one.
    if (slash <= percent + 1) {
      throw new IllegalArgumentException(
          "not an address with its zone and prefix length, as in fe80::1%to-b/64: '" + text + "'");
    }
    return new ZonedLinkAddress(
        LinkAddress.parse(text.substring(0, percent) + text.substring(slash)),
        text.substring(percent + 1, slash));
  }

  /** Whether it has a zone. */
  public boolean isZoned() {
    return !zone.isEmpty();
  }

  /** The subnet, as in {@code 10.0.1.0/24} or {@code fe80::%to-b/64}. */
  public String subnet() {
    return zoned(link.subnet());
  }

  private String zoned(String text) {
    return isZoned() ? text.replace("/", "%" + zone + "/") : text;
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return zoned(link.toString());
  }
}
