// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A service of a node and the handle that leads to it, in the node's record.
 *
 * <pre>
 *  name     u8 length, 1 to 32 bytes of UTF-8 without control characters
 *  handle   u16 length, 0 to 512 bytes
 * </pre>
 *
 * @param handle bytes whose meaning only the users of the service know; copied by {@link #handle()}
 */
public record ServiceEntry(String name, byte[] handle) {
  /** Max length of a name in bytes. */
  public static final int MAX_NAME_BYTES = 32;

  /** Max length of a handle: that of a peer handle. */
  public static final int MAX_HANDLE_BYTES = 512;

  public ServiceEntry {
    BodyReader.requireText("the service's name", name, 1, MAX_NAME_BYTES);
    if (handle.length > MAX_HANDLE_BYTES) {
      throw new IllegalArgumentException(
          name + ": a handle of " + handle.length + " bytes, at most " + MAX_HANDLE_BYTES);
    }
    handle = handle.clone();
  }

  @Override
  public byte[] handle() {
    return handle.clone();
  }

  void writeTo(ByteBuffer datagram) {
    BodyReader.writeText(datagram, name);
    datagram.putShort((short) handle.length).put(handle);
  }

  static ServiceEntry read(BodyReader body) throws MalformedDatagram {
    String name = body.text(MAX_NAME_BYTES);
    byte[] handle = body.bytes(body.u16(), MAX_HANDLE_BYTES);
    try {
      return new ServiceEntry(name, handle);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ServiceEntry that
        && name.equals(that.name)
        && Arrays.equals(handle, that.handle);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(handle);
  }

  @Override
  public String toString() {
    return name + " (handle of " + handle.length + " bytes)";
  }
}
