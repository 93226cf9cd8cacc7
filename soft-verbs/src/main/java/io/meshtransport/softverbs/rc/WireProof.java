// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.verbs.HmacSha256;
import io.meshtransport.verbs.WireKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * What only the two ends of one stream know, and the proofs that they know it. Each proof is the
 * first {@value #LENGTH_BYTES} bytes of HMAC-SHA-256 (RFC 2104) with the {@link WireKey} as its key
 * over a label and both ends, the dialler's first. Nonces, drawn by both ends for each connection,
 * make a proof that was overheard worthless on another. An immutable value; any thread.
 */
public final class WireProof {
  public static final int LENGTH_BYTES = 16;
  public static final int NONCE_BYTES = 16;

  private static final int END_BYTES = Gid.LENGTH_BYTES + 2 * Integer.BYTES;

  private final HmacSha256 key;
  private final byte[] ends;

  public WireProof(WireKey key, StreamAddress stream, boolean isDialler) {
    this.key = new HmacSha256(key.bytes());
    StreamAddress dialler = isDialler ? stream : stream.reversed();
    ends =
        ByteBuffer.allocate(2 * END_BYTES)
            .put(dialler.localGid().toBytes())
            .putInt(dialler.localPort())
            .putInt(dialler.localQueuePair())
            .put(dialler.remoteGid().toBytes())
            .putInt(dialler.remotePort())
            .putInt(dialler.remoteQueuePair())
            .array();
  }

  /** Names the stream to an end that knows it, and reveals nothing to others. */
  public Id id() {
    return new Id(ByteBuffer.wrap(mac("wire")));
  }

  /** Names a stream in what a dialler sends first. */
  public record Id(ByteBuffer bytes) {
    // Written out: those that a record is given are linked at their first use, for milliseconds.
    @Override
    public boolean equals(Object other) {
      return other instanceof Id that && bytes.equals(that.bytes);
    }

    @Override
    public int hashCode() {
      return bytes.hashCode();
    }
  }

  /**
   * The acceptor knows the stream.
   *
   * @param session both nonces of the connection, the dialler's first
   */
  public byte[] ofAcceptor(byte[] session) {
    return mac("acceptor", session);
  }

  /** The dialler knows the stream. */
  public byte[] ofDialler(byte[] session) {
    return mac("dialler", session);
  }

  /** Puts the proof into an OPEN that is complete but for it. */
  public void sign(FrameHeader open, byte[] session, boolean isDialler) {
    ByteBuffer proof = ofOpen(open, session, isDialler);
    open.compareOrAdd = proof.getLong();
    open.swap = proof.getLong();
  }

  /**
   * Whether the sender of an OPEN knows the stream.
   *
   * @param isDialler whether the sender is its dialling end
   */
  public boolean isProvedBy(FrameHeader open, byte[] session, boolean isDialler) {
    ByteBuffer proof = ofOpen(open, session, isDialler);
    return (open.compareOrAdd ^ proof.getLong() | open.swap ^ proof.getLong()) == 0;
  }

  private ByteBuffer ofOpen(FrameHeader open, byte[] session, boolean isDialler) {
    byte[] names =
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(open.remoteAddress)
            .putLong(open.destination)
            .array();
    return ByteBuffer.wrap(mac(isDialler ? "open by dialler" : "open by acceptor", session, names));
  }

  /** Compares in the same time wherever they differ. */
  public static boolean areEqual(byte[] proof, byte[] expected) {
    return MessageDigest.isEqual(proof, expected);
  }

  private byte[] mac(String label, byte[]... parts) {
    byte[][] all = new byte[2 + parts.length][];
    all[0] = (label + '\0').getBytes(StandardCharsets.US_ASCII);
    all[1] = ends;
    System.arraycopy(parts, 0, all, 2, parts.length);
    return Arrays.copyOf(key.of(all), LENGTH_BYTES);
  }
}
