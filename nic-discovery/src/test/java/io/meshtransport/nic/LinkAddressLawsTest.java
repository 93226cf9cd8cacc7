// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.net.util.SubnetUtils;
import org.apache.commons.net.util.SubnetUtils6;

/**
 * Laws of subnets, at every prefix length, and Commons Net as an oracle. jqwik prints the seed of a
 * failure; {@code @Property(seed = "...")} takes it back.
 */
class LinkAddressLawsTest {
  @Property
  void shouldAgreeWithCommonsNetOnIpv4(
      @ForAll("ipv4") InetAddress mine,
      @ForAll @IntRange(max = 32) int prefixLength,
      @ForAll("ipv4") InetAddress random,
      @ForAll @IntRange(max = 32) int differingBit) {
    LinkAddress link = new LinkAddress(mine, prefixLength);
    SubnetUtils oracle = new SubnetUtils(link.toString());
    oracle.setInclusiveHostCount(true);
    // Random pairs almost never share a long prefix; one that differs in a single bit does.
    for (InetAddress other : new InetAddress[] {random, flip(mine, differingBit)}) {
      Assume.that(!other.isAnyLocalAddress()); // The oracle holds 0.0.0.0 to be nowhere.
      assertEquals(oracle.getInfo().isInRange(other.getHostAddress()), link.contains(other));
    }
    assertEquals(
        oracle.getInfo().getNetworkAddress() + "/" + prefixLength, link.subnet(), link::toString);
  }

  @Property
  void shouldAgreeWithCommonsNetOnIpv6(
      @ForAll("ipv6") InetAddress mine,
      @ForAll @IntRange(max = 128) int prefixLength,
      @ForAll("ipv6") InetAddress random,
      @ForAll @IntRange(max = 128) int differingBit) {
    LinkAddress link = new LinkAddress(mine, prefixLength);
    SubnetUtils6 oracle = new SubnetUtils6(link.toString());
    for (InetAddress other : new InetAddress[] {random, flip(mine, differingBit)}) {
      assertEquals(oracle.getInfo().isInRange(other.getAddress()), link.contains(other));
    }
  }

  @Property
  void shouldContainItselfAndNothingWithADifferentBitInThePrefix(
      @ForAll("any") InetAddress mine, @ForAll @IntRange(max = 128) int prefix) {
    int bits = mine.getAddress().length * Byte.SIZE;
    LinkAddress link = new LinkAddress(mine, prefix % (bits + 1));
    assertTrue(link.contains(mine));
    for (int bit = 0; bit < bits; bit++) {
      assertEquals(bit >= link.prefixLength(), link.contains(flip(mine, bit)), "bit " + bit);
    }
  }

  @Property
  void shouldShareASubnetSymmetricallyWhenThePrefixesAreEqual(
      @ForAll("any") InetAddress one, @ForAll @IntRange(max = 128) int bit) {
    InetAddress other = flip(one, bit);
    int bits = one.getAddress().length * Byte.SIZE;
    for (int prefixLength = 0; prefixLength <= bits; prefixLength++) {
      LinkAddress here = new LinkAddress(one, prefixLength);
      LinkAddress there = new LinkAddress(other, prefixLength);
      assertEquals(here.contains(other), there.contains(one));
      assertEquals(here.contains(other), here.subnet().equals(there.subnet()));
    }
  }

  @Property
  void shouldContainLessTheLongerThePrefix(
      @ForAll("any") InetAddress mine,
      @ForAll @IntRange(max = 128) int bit,
      @ForAll @IntRange(min = 1, max = 128) int prefix) {
    int bits = mine.getAddress().length * Byte.SIZE;
    int prefixLength = 1 + prefix % bits;
    InetAddress other = flip(mine, bit);
    if (new LinkAddress(mine, prefixLength).contains(other)) {
      assertTrue(new LinkAddress(mine, prefixLength - 1).contains(other));
    }
  }

  @Property
  void shouldNeverContainAnAddressOfTheOtherFamily(
      @ForAll("ipv4") InetAddress four, @ForAll("ipv6") InetAddress six) {
    assertFalse(new LinkAddress(four, 0).contains(six));
    assertFalse(new LinkAddress(six, 0).contains(four));
  }

  @Property
  void shouldReadBackWhatItPrints(
      @ForAll("any") InetAddress address, @ForAll @IntRange(max = 32) int prefixLength)
      throws UnknownHostException {
    LinkAddress link = new LinkAddress(address, prefixLength);
    assertEquals(link, LinkAddress.parse(link.toString()));
    assertEquals(address, InetAddress.getByName(AddressText.of(address)));
    assertEquals(address, Gid.of(address).toAddress());
    assertEquals(Gid.of(address), Gid.parse(Gid.of(address).toString()));
  }

  @Provide
  Arbitrary<InetAddress> any() {
    return Arbitraries.oneOf(ipv4(), ipv6());
  }

  @Provide
  Arbitrary<InetAddress> ipv4() {
    return Arbitraries.integers().map(bits -> address(BigInteger.valueOf(bits), 4));
  }

  /** Also those that are mostly zeros or ones, which random bits never are. */
  @Provide
  Arbitrary<InetAddress> ipv6() {
    return Arbitraries.bigIntegers()
        .between(BigInteger.ONE.shiftLeft(127).negate(), BigInteger.ONE.shiftLeft(127))
        .map(bits -> address(bits, 16))
        // The mapped form is an IPv4 address to Java.
        .filter(address -> address.getAddress().length == 16);
  }

  private static InetAddress flip(InetAddress address, int bit) {
    byte[] raw = address.getAddress();
    int within = bit % (raw.length * Byte.SIZE);
    raw[within / Byte.SIZE] ^= (byte) (0x80 >>> within % Byte.SIZE);
    return ofBytes(raw);
  }

  private static InetAddress address(BigInteger bits, int lengthBytes) {
    byte[] raw = new byte[lengthBytes];
    for (int i = 0; i < lengthBytes; i++) {
      raw[lengthBytes - 1 - i] = bits.shiftRight(i * Byte.SIZE).byteValue();
    }
    return ofBytes(raw);
  }

  private static InetAddress ofBytes(byte[] raw) {
    try {
      return InetAddress.getByAddress(raw);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
