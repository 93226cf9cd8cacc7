// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.nic.Gid;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Frames whose every field has bytes of its own, so that a swapped or shifted field shows. */
final class Samples {
  static final NodeId SENDER = new NodeId(0x1011121314151617L, 0x18191A1B1C1D1E1FL);
  static final NodeId RECEIVER = new NodeId(0x2021222324252627L, 0x28292A2B2C2D2E2FL);
  static final ConnectionNonce NONCE =
      new ConnectionNonce(0x3031323334353637L, 0x38393A3B3C3D3E3FL);
  static final QueuePairAddress ENDPOINT =
      new QueuePairAddress(
          0xA1A2A3,
          0xB1B2B3,
          new Gid(0x4041424344454647L, 0x48494A4B4C4D4E4FL),
          4096,
          0xC1C2,
          new byte[] {(byte) 0xD1, (byte) 0xD2, (byte) 0xD3});

  private Samples() {}

  static Hello hello(HandshakeFrameType type) {
    return new Hello(type, SENDER, RECEIVER, NONCE, 0x6061, 0x7071, 1, ENDPOINT);
  }

  static byte[] counting(int first, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    for (int i = 0; i < lengthBytes; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  /** One of every kind. */
  static List<HandshakeFrame> frames() {
    return List.of(
        hello(HandshakeFrameType.HELLO_CONNECT),
        hello(HandshakeFrameType.HELLO_ACCEPT),
        new Challenge(NONCE, counting(0x80, Challenge.RANDOM_BYTES)),
        new Proof(NONCE, counting(0x80, SharedSecret.MAC_BYTES)),
        new Ready(NONCE),
        new HandleQuery(NONCE, 1),
        new HandleAnswer(NONCE, counting(1, PeerHandle.MIN_LENGTH_BYTES)),
        new Refuse(HandshakeException.Reason.WRONG_NODE, "no"));
  }

  /** Every truncation and, per byte, the byte inverted and each of its bits flipped. */
  static List<byte[]> damaged(byte[] frame) {
    List<byte[]> damaged = new ArrayList<>();
    for (int length = 0; length < frame.length; length++) {
      damaged.add(java.util.Arrays.copyOf(frame, length));
    }
    for (int i = 0; i < frame.length; i++) {
      for (int mask : new int[] {0xFF, 1, 2, 4, 8, 16, 32, 64, 128}) {
        byte[] flipped = frame.clone();
        flipped[i] ^= (byte) mask;
        damaged.add(flipped);
      }
    }
    return damaged;
  }

  /** Noise, or a frame with noise in it; never a good frame. */
  static byte[] random(Random random) {
    byte[] frame = hello(HandshakeFrameType.HELLO_CONNECT).encode();
    byte[] noise = new byte[1 + random.nextInt(2 * Hello.MAX_LENGTH_BYTES)];
    random.nextBytes(noise);
    // Some begin well, so that the noise reaches the later checks.
    int good = random.nextInt(frame.length - HandshakeFrameHeader.CRC_LENGTH_BYTES);
    System.arraycopy(frame, 0, noise, 0, Math.min(good, noise.length));
    return noise;
  }

  /** The seed of a random test: printed, and taken back with -Dmesh.test.seed. */
  static long seed() {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    System.out.println("repeat with -Dmesh.test.seed=" + seed);
    return seed;
  }
}
