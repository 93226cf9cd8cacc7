package io.meshtransport.bench;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;

/**
 * Receives, one at a time, into one memory.
 *
 * @param channel they come from
 * @param memory they go to
 */
record MeshReceives(ReceiveChannel channel, RegisteredMemory memory) {
  /** All messages have the same tag. */
  static final int TAG = 0;

  ByteBuffer bytes() {
    return memory.segments().get(0);
  }

  long post(int offsetBytes, int lengthBytes) throws TransportException {
    return Outcomes.begun(channel, channel.irecv(memory, offsetBytes, lengthBytes, TAG));
  }

  /** Waits for what was posted, and returns its length. */
  long await(long request, Workload.Waiting waiting) throws TransportException {
    return Outcomes.await(channel, request, waiting);
  }
}
