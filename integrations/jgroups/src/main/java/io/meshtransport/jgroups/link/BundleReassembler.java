// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reassembles one bundle from its fragments. The fragments on one link arrive in order and of one
 * bundle at a time; a bundle whose sender gave up is dropped when the next begins. Memory grows
 * with the bytes received, so an announced length alone costs nothing. Confined to its link's
 * thread.
 */
final class BundleReassembler {
  private static final int FIRST_BYTES = 1 << 20;

  private final int maxBytes;
  private byte[] bytes = new byte[0];
  private int lengthBytes;
  private int arrivedBytes;

  /**
   * @param maxBytes longest bundle accepted
   */
  BundleReassembler(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Adds one fragment.
   *
   * @param part its bytes, from position to limit
   * @return whether the bundle is complete now
   * @throws ProtocolException if it does not continue the fragments before it
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
          "a fragment of %d bytes at %d of %d, where %d of %d had arrived"
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
          "a bundle of %d bytes, and at most %d are accepted: max_bundle must be the same on every node"
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
   * The complete bundle, which is the caller's; the next one gets memory of its own.
   *
   * @throws IllegalStateException if it is not complete
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
