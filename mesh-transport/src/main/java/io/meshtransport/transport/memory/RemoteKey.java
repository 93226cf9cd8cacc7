// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Memory of some node, as that node's NICs know it: a key of memory, read. An immutable value; any
 * thread. Big-endian.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'M'   |  'E'   |  'M'   |  'K'   |
 *  +--------+--------+--------+--------+
 *  | version| rights |    NIC count    |   version 1; bit 0 put, bit 1 get; u16
 *  +--------+--------+--------+--------+
 *  |              node id              |   16 bytes, whose memory it is
 *  +--------+--------+--------+--------+
 *  |      length in bytes (u64)        |
 *  +--------+--------+--------+--------+
 *  |  count x address (u64), key (u32) |   by the index of that node's NIC; 0 where it has none
 *  +--------+--------+--------+--------+
 *  |             CRC-32C               |   of every byte before it
 *  +--------+--------+--------+--------+
 * </pre>
 */
public final class RemoteKey implements RemoteMemory {
  private static final int MAGIC = 0x4D454D4B;
  private static final byte VERSION = 1;
  private static final int VERSION_OFFSET = Integer.BYTES;
  private static final int RIGHTS_OFFSET = VERSION_OFFSET + 1;
  private static final int COUNT_OFFSET = RIGHTS_OFFSET + 1;
  private static final int NODE_OFFSET = COUNT_OFFSET + Short.BYTES;
  private static final int LENGTH_OFFSET = NODE_OFFSET + NodeId.LENGTH_BYTES;
  private static final int ENTRIES_OFFSET = LENGTH_OFFSET + Long.BYTES;
  private static final int ENTRY_BYTES = Long.BYTES + Integer.BYTES;

  private final NodeId node;
  private final Set<RemoteAccess> rights;
  private final long lengthBytes;
  private final long[] addresses;
  private final int[] keys;

  /**
   * @param addresses of the first byte, by the index of the NIC; with the keys taken over
   */
  RemoteKey(NodeId node, Set<RemoteAccess> rights, long lengthBytes, long[] addresses, int[] keys) {
    this.node = node;
    this.rights = rights;
    this.lengthBytes = lengthBytes;
    this.addresses = addresses;
    this.keys = keys;
  }

  /** The bytes drawn above, a fresh array. */
  byte[] encode() {
    int crcOffset = ENTRIES_OFFSET + addresses.length * ENTRY_BYTES;
    ByteBuffer bytes = ByteBuffer.allocate(crcOffset + Integer.BYTES);
    bytes.putInt(MAGIC).put(VERSION).put((byte) bits(rights)).putShort((short) addresses.length);
    bytes.putLong(node.high()).putLong(node.low()).putLong(lengthBytes);
    for (int nic = 0; nic < addresses.length; nic++) {
      bytes.putLong(addresses[nic]).putInt(keys[nic]);
    }
    return bytes.putInt(crc(bytes.array(), crcOffset)).array();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException saying at which byte it goes wrong
   */
  public static RemoteKey decode(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    try {
      require(bytes.getInt() == MAGIC, 0, "a memory key begins with MEMK");
      require(
          bytes.get() == VERSION,
          VERSION_OFFSET,
          "version " + (key[VERSION_OFFSET] & 0xFF) + ", but this node reads version " + VERSION);
      Set<RemoteAccess> rights = rights(bytes.get());
      int count = Short.toUnsignedInt(bytes.getShort());
      int crcOffset = ENTRIES_OFFSET + count * ENTRY_BYTES;
      require(
          key.length == crcOffset + Integer.BYTES,
          COUNT_OFFSET,
          count + " NICs make " + (crcOffset + Integer.BYTES) + " bytes, not " + key.length);
      require(
          bytes.getInt(crcOffset) == crc(key, crcOffset),
          crcOffset,
          "the checksum says that it was damaged on the way");
      NodeId node = new NodeId(bytes.getLong(), bytes.getLong());
      long lengthBytes = bytes.getLong();
      long[] addresses = new long[count];
      int[] keys = new int[count];
      for (int nic = 0; nic < count; nic++) {
        addresses[nic] = bytes.getLong();
        keys[nic] = bytes.getInt();
      }
      return new RemoteKey(node, rights, lengthBytes, addresses, keys);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException(
          "memory key refused at byte " + key.length + ": cut, for more must follow", e);
    }
  }

  private static void require(boolean isRight, int at, String what) {
    if (!isRight) {
      throw new IllegalArgumentException("memory key refused at byte " + at + ": " + what);
    }
  }

  private static int bits(Set<RemoteAccess> rights) {
    return rights.stream().mapToInt(right -> 1 << right.ordinal()).sum();
  }

  private static Set<RemoteAccess> rights(int bits) {
    Set<RemoteAccess> rights = EnumSet.noneOf(RemoteAccess.class);
    for (RemoteAccess right : RemoteAccess.values()) {
      if ((bits & 1 << right.ordinal()) != 0) {
        rights.add(right);
      }
    }
    return rights;
  }

  private static int crc(byte[] bytes, int lengthBytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, lengthBytes);
    return (int) crc.getValue();
  }

  /**
   * Checks that a piece of it may be used so. Whether a channel leads there, {@link #isAt} says.
   *
   * @throws IllegalArgumentException not of this library, without that right, or out of bounds
   */
  public static RemoteKey require(
      RemoteMemory remote, RemoteAccess wanted, long offsetBytes, long lengthBytes) {
    if (!(remote instanceof RemoteKey far)) {
      throw new IllegalArgumentException(
          remote == null
              ? "no remote memory given: read the peer's key with Transport.remoteMemory"
              : "this remote memory was not read with Transport.remoteMemory of this library");
    }
    if (!far.allows(wanted)) {
      throw new IllegalArgumentException(
          "the remote memory was registered without " + wanted + ", but with " + far.rights);
    }
    if (offsetBytes < 0 || lengthBytes < 0 || offsetBytes > far.lengthBytes - lengthBytes) {
      throw new IllegalArgumentException(
          "remote offset "
              + offsetBytes
              + " and length "
              + lengthBytes
              + " reach outside the remote memory's "
              + far.lengthBytes
              + " bytes");
    }
    return far;
  }

  /**
   * Whether this is memory of that node, known to that NIC of it: not of a node that was there
   * before it, nor from before it had the NIC.
   */
  public boolean isAt(PeerNic peer) {
    return node.equals(peer.node())
        && peer.nicIndex() < addresses.length
        && addresses[peer.nicIndex()] != 0;
  }

  public NodeId node() {
    return node;
  }

  public long address(int nicIndex) {
    return addresses[nicIndex];
  }

  public int key(int nicIndex) {
    return keys[nicIndex];
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  public boolean allows(RemoteAccess access) {
    return rights.contains(access);
  }

  @Override
  public String toString() {
    return lengthBytes + " bytes of node " + node.shortId() + " for " + rights;
  }
}
