// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.nio.ByteBuffer;

/** Services of the mesh by which relays know each other, and others know of them. */
public final class RelayServices {
  /** Of a node that passes on what others send to others: the handle of its relay's listener. */
  public static final String RELAY = "mesh-relay";

  /** Of a node that only has ends of flows: the same. */
  public static final String END = "mesh-relay-end";

  /** What a node has passed on of late, if it was anything: eight bytes, as {@link #load} reads. */
  public static final String LOAD = "mesh-relay-load";

  private RelayServices() {}

  /** Bytes per second, as {@link #LOAD} is published; 0 for anything else. */
  public static long load(byte[] handle) {
    return handle.length == Long.BYTES ? Math.max(0, ByteBuffer.wrap(handle).getLong()) : 0;
  }

  /** What {@link #load} reads. */
  public static byte[] handle(long bytesPerSecond) {
    return ByteBuffer.allocate(Long.BYTES).putLong(bytesPerSecond).array();
  }
}
