// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/**
 * Calls over one blocking connection: callers write under a lock, one thread reads replies and
 * completes them. The responder is one thread that reads requests and writes replies, those of
 * requests that were read together in one call.
 */
final class SocketCalls {
  private final SocketFrames frames;
  private final int messageBytes;

  SocketCalls(SocketChannel channel, int messageBytes) {
    this.frames = new SocketFrames(channel);
    this.messageBytes = messageBytes;
  }

  Measurement initiate(int threads, RunClock clock) throws IOException, InterruptedException {
    ByteBuffer requests = ByteBuffer.allocateDirect(Callers.slots(threads) * messageBytes);
    Callers callers = new Callers(threads, messageBytes, requests);
    CompletableFuture<Void> reader = Callers.start("mesh-bench-replies", () -> read(callers));
    Measurement measured = callers.run(clock, id -> write(requests, callers.offset(id)));
    requests.putLong(0, SequencedPayload.END);
    write(requests, 0);
    Callers.join(reader);
    return measured;
  }

  private void write(ByteBuffer requests, int offset) throws IOException {
    synchronized (frames) {
      frames.append(requests, offset, messageBytes);
      frames.flush();
    }
  }

  private void read(Callers callers) throws IOException {
    try {
      int at = frames.next();
      while (!Callers.isEnd(frames.in(), at)) {
        callers.replied(frames.in(), at);
        at = frames.next();
      }
    } catch (IOException | RuntimeException e) {
      callers.failed(e);
      throw e;
    }
  }

  Measurement respond() throws IOException {
    long count = -1;
    boolean hasEnded = false;
    while (!hasEnded) {
      int at = frames.next();
      hasEnded = Callers.isEnd(frames.in(), at);
      count++;
      frames.append(frames.in(), at, messageBytes);
      if (!frames.hasNext()) {
        frames.flush();
      }
    }
    return Measurement.ofResponder(count, 0);
  }
}
