// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Optional;
import org.jgroups.Address;
import org.jgroups.util.Util;

/** The address of a member in its group as bytes, as JGroups writes it. */
final class MemberAddress {
  private MemberAddress() {}

  /**
   * @param address null if there is none yet
   */
  public static byte[] write(Address address) {
    if (address == null) {
      return new byte[0];
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      Util.writeAddress(address, new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new IllegalStateException("memory takes every byte", e);
    }
    return bytes.toByteArray();
  }

  /**
   * @return empty if there is none
   * @throws IOException if these bytes are not an address of a known class
   */
  public static Optional<Address> read(byte[] bytes) throws IOException {
    if (bytes.length == 0) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(
          Util.readAddress(new DataInputStream(new ByteArrayInputStream(bytes))));
    } catch (ClassNotFoundException | RuntimeException e) {
      throw new IOException("no address of a member: " + e, e);
    }
  }
}
