// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;

/**
 * How unregistered buffers are sent and received: short ones through bounce buffers, long ones
 * through the cache of registrations, or through long bounce buffers where they cannot be
 * registered. Any thread may call it; it has no state of its own.
 *
 * @param bounces for short ones
 * @param cache for long ones that can be registered
 * @param longBounces for long ones on the heap, or read-only
 */
public record UnregisteredBuffers(
    BounceBufferPool bounces, RegistrationCache cache, LongBounceBufferPool longBounces) {
  /**
   * What represents a buffer whose bytes are sent.
   *
   * @throws TransportException NO_RESOURCES if there is no memory for it, or all bounce buffers are
   *     in use
   */
  public Retained forSending(ByteBuffer buffer) throws TransportException {
    if (isRegistered(buffer)) {
      return cache.take(buffer, cache.addressOf(buffer));
    }
    BounceBuffer bounce = bounce(buffer.remaining(), false);
    bounce.copyFrom(buffer);
    return bounce;
  }

  /** As {@link #forSending}, for a buffer that bytes are received into. */
  public Retained forReceiving(ByteBuffer buffer) throws TransportException {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("a read-only buffer cannot be received into");
    }
    if (isRegistered(buffer)) {
      return cache.take(buffer, cache.addressOf(buffer));
    }
    BounceBuffer bounce = bounce(buffer.remaining(), true);
    bounce.deliverTo(buffer);
    return bounce;
  }

  private boolean isRegistered(ByteBuffer buffer) {
    return buffer.isDirect() && !buffer.isReadOnly() && !bounces.takes(buffer.remaining());
  }

  private BounceBuffer bounce(int messageBytes, boolean isForReceiving) throws TransportException {
    BounceBuffer bounce =
        bounces.takes(messageBytes)
            ? bounces.take(isForReceiving)
            : longBounces.acquire(messageBytes, isForReceiving);
    if (bounce == null) {
      throw new TransportException(
          TransportException.Reason.NO_RESOURCES,
          "all bounce buffers for "
              + (isForReceiving ? "receives" : "sends")
              + " of unregistered memory are in use, on all channels of this transport. Test or poll"
              + " outstanding requests, then try again, or use registered memory.");
    }
    return bounce;
  }

  /** Where in that memory the buffer's bytes begin. */
  public long offsetOf(Retained retained, ByteBuffer buffer) {
    return retained instanceof RegistrationCache.Entry entry
        ? entry.offsetOf(cache.addressOf(buffer) + buffer.position())
        : 0;
  }
}
