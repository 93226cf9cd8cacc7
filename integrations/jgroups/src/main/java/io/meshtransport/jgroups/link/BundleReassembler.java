// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Puts together one bundle that came in parts. Parts of one link come in order and of one bundle at
 * a time; a bundle whose sender gave up is dropped when the next begins. Memory grows with what has
 * arrived, so a length alone costs nothing. Confined to its link's thread.
 */
final class BundleReassembler {
  private static final int FIRST_BYTES = 1 << 20;

  private final int maxBytes;
  private byte[] bytes = new byte[0];
  private int lengthBytes;
  private int arrivedBytes;

  /**
   * @param maxBytes longest bundle taken
   */
  BundleReassembler(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Takes in one part.
   *
   * @param part its bytes, from position to limit
   * @return whether the bundle is whole now
   * @throws ProtocolException if it cannot be a part of what came before
   */
  boolean add(int bundleBytes, int offsetBytes, ByteBuffer part) throws ProtocolException {
    int count = part.remaining();
    if (offsetBytes == 0) {
      begin(bundleBytes);
    }
    if (bundleBytes != lengthBytes
        || offsetBytes != arrivedBytes
        || count == 0
        || count > lengthBytes - arrivedBytes) {
      throw new ProtocolException(
          "a part of %d bytes at %d of %d, where %d of %d had arrived"
              .formatted(count, offsetBytes, bundleBytes, arrivedBytes, lengthBytes));
    }
    ensureCapacity(arrivedBytes + count);
    part.get(bytes, arrivedBytes, count);
    arrivedBytes += count;
    return arrivedBytes == lengthBytes;
  }

  private void begin(int bundleBytes) throws ProtocolException {
    if (bundleBytes <= 0 || bundleBytes > maxBytes) {
      throw new ProtocolException(
          "a bundle of %d bytes, and at most %d are taken: max_bundle must be the same on every node"
              .formatted(bundleBytes, maxBytes));
    }
    bytes = new byte[Math.min(bundleBytes, FIRST_BYTES)];
    lengthBytes = bundleBytes;
    arrivedBytes = 0;
  }

  private void ensureCapacity(int needed) {
    if (needed > bytes.length) {
      int wanted = (int) Math.min(lengthBytes, Math.max(needed, 2L * bytes.length));
      bytes = Arrays.copyOf(bytes, wanted);
    }
  }

  /**
   * The whole bundle, which is the caller's; the next one gets memory of its own.
   *
   * @throws IllegalStateException if it is not whole
   */
  byte[] bundle() {
    if (lengthBytes == 0 || arrivedBytes < lengthBytes) {
      throw new IllegalStateException(
          "a bundle of which %d of %d bytes have arrived".formatted(arrivedBytes, lengthBytes));
    }
    byte[] whole = bytes;
    bytes = new byte[0];
    lengthBytes = 0;
    arrivedBytes = 0;
    return whole;
  }
}
