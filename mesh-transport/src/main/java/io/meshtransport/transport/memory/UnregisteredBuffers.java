// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;

/**
 * How unregistered buffers are sent and received: short ones through bounce buffers, long ones
 * through the cache of registrations. Any thread may call it; it holds nothing itself.
 *
 * @param bounces for short ones
 * @param cache for long ones
 */
public record UnregisteredBuffers(BounceBufferPool bounces, RegistrationCache cache) {
  /**
   * What stands for a buffer whose bytes are sent; null if all bounce buffers are in use.
   *
   * @throws IllegalArgumentException for a long buffer that cannot be registered
   * @throws TransportException NO_RESOURCES if there is no memory for it
   */
  public Retained forSending(ByteBuffer buffer) throws TransportException {
    if (!bounces.takes(buffer.remaining())) {
      return registered(buffer);
    }
    BounceBuffer bounce = bounces.take(false);
    if (bounce != null) {
      bounce.copyFrom(buffer);
    }
    return bounce;
  }

  /** As {@link #forSending}, for a buffer that bytes are received into. */
  public Retained forReceiving(ByteBuffer buffer) throws TransportException {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("a read-only buffer cannot be received into");
    }
    if (!bounces.takes(buffer.remaining())) {
      return registered(buffer);
    }
    BounceBuffer bounce = bounces.take(true);
    if (bounce != null) {
      bounce.deliverTo(buffer);
    }
    return bounce;
  }

  private Retained registered(ByteBuffer buffer) throws TransportException {
    if (!buffer.isDirect() || buffer.isReadOnly()) {
      throw new IllegalArgumentException(
          "a "
              + (buffer.isDirect() ? "read-only" : "heap")
              + " buffer with "
              + buffer.remaining()
              + " bytes: it can only be copied, which MESH_BOUNCE_BYTES="
              + bounces.lengthBytes()
              + " allows up to that. Use a direct buffer that can be written, cut the message, or"
              + " raise the setting");
    }
    return cache.take(buffer, cache.addressOf(buffer));
  }

  /** Where in that memory the buffer's bytes begin. */
  public long offsetOf(Retained held, ByteBuffer buffer) {
    return held instanceof RegistrationCache.Entry entry
        ? entry.offsetOf(cache.addressOf(buffer) + buffer.position())
        : 0;
  }
}
