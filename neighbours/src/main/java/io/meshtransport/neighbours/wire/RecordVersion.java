// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import java.nio.ByteBuffer;
import java.util.Comparator;

/**
 * Names one version of a node's record. Of two versions the one with the higher incarnation is
 * newer, then that with the higher sequence number, then that with the higher hash: a tie that only
 * a fault or a false record can cause, and that all nodes decide alike.
 *
 * <pre>
 *    0  node id       16 bytes
 *   16  incarnation   u64, 1 to 2^62
 *   24  sequence      u64, 1 to 2^62
 *   32  hash          u32, CRC-32C of the record's bytes
 *   36
 * </pre>
 */
public record RecordVersion(NodeId origin, long incarnation, long sequence, int hash) {
  /** Ids in the order of their bytes. */
  public static final Comparator<NodeId> ID_ORDER =
      (one, other) -> {
        int high = Long.compareUnsigned(one.high(), other.high());
        return high != 0 ? high : Long.compareUnsigned(one.low(), other.low());
      };

  /** Max sequence number; one a second would need longer than the universe is old. */
  public static final long MAX_SEQUENCE = 1L << 62;

  static final int LENGTH_BYTES = NodeId.LENGTH_BYTES + 2 * Long.BYTES + Integer.BYTES;

  public RecordVersion {
    DatagramHeader.requireNode(origin);
    DatagramHeader.requireIncarnation(incarnation);
    if (sequence < 1 || sequence > MAX_SEQUENCE) {
      throw new IllegalArgumentException("sequence " + sequence + " is not 1 to 2^62");
    }
  }

  /** Whether this is newer than another version of the same node's record. */
  public boolean isNewerThan(RecordVersion other) {
    if (incarnation != other.incarnation) {
      return incarnation > other.incarnation;
    }
    if (sequence != other.sequence) {
      return sequence > other.sequence;
    }
    return Integer.compareUnsigned(hash, other.hash) > 0;
  }

  /** A number that differs for any two versions, as good as certainly (SplitMix64's finalizer). */
  public long digest() {
    long digest = mix(origin.high());
    digest = mix(digest ^ origin.low());
    digest = mix(digest ^ incarnation);
    digest = mix(digest ^ sequence);
    return mix(digest ^ hash);
  }

  private static long mix(long bits) {
    long mixed = bits + 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }

  void writeTo(ByteBuffer datagram) {
    BodyReader.writeNode(datagram, origin);
    datagram.putLong(incarnation).putLong(sequence).putInt(hash);
  }

  static RecordVersion read(BodyReader body) throws MalformedDatagram {
    NodeId origin = body.node();
    long incarnation = body.i64();
    long sequence = body.i64();
    int hash = body.i32();
    try {
      return new RecordVersion(origin, incarnation, sequence, hash);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
