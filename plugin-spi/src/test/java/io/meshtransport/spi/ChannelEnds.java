// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * One channel with both its ends in the hands of the test's thread, and memory at each end. Closed
 * with the nodes it was made from.
 */
record ChannelEnds(
    SendChannel out, ReceiveChannel in, RegisteredMemory source, RegisteredMemory sink) {
  private static final int LIFE_TAG = 0x11FE;

  static ChannelEnds between(Transport from, Transport to, int memoryBytes)
      throws TransportException {
    try (Listener listener = to.listen()) {
      return between(from, to, listener, memoryBytes);
    }
  }

  static ChannelEnds between(Transport from, Transport to, Listener listener, int memoryBytes)
      throws TransportException {
    ChannelFuture<ReceiveChannel> accepting = listener.accept();
    SendChannel out = from.connect(listener.handle(), ContractChapter.PATIENCE);
    ReceiveChannel in = accepting.await(ContractChapter.PATIENCE);
    return new ChannelEnds(
        out,
        in,
        ContractChapter.memory(from, memoryBytes),
        ContractChapter.memory(to, memoryBytes));
  }

  ByteBuffer sourceBytes() {
    return source.segments().get(0);
  }

  ByteBuffer sinkBytes() {
    return sink.segments().get(0);
  }

  Pending send(long offsetBytes, long lengthBytes, int tag) {
    return new Pending(out, out.isend(source, offsetBytes, lengthBytes, tag));
  }

  Pending receive(long offsetBytes, long lengthBytes, int tag) {
    return new Pending(in, in.irecv(sink, offsetBytes, lengthBytes, tag));
  }

  /** Sends one message into a receive of its size, and checks every byte. */
  void exchange(int lengthBytes, long seed) {
    Bytes.fill(sourceBytes(), 0, lengthBytes, seed);
    Bytes.fill(sinkBytes(), 0, lengthBytes, ~seed);
    List<Pending.Outcome> outcomes =
        Pending.finish(receive(0, lengthBytes, LIFE_TAG), send(0, lengthBytes, LIFE_TAG));
    assertEquals(lengthBytes, outcomes.get(0).lengthBytes());
    assertEquals(lengthBytes, outcomes.get(1).lengthBytes());
    Bytes.check(sinkBytes(), 0, lengthBytes, seed);
  }

  /** Whatever happened before, messages still pass. */
  void assertAlive() {
    assertEquals(ChannelState.READY, out.state());
    assertEquals(ChannelState.READY, in.state());
    exchange((int) Math.min(64, source.lengthBytes()), System.nanoTime());
  }

  void close() {
    out.close();
    in.close();
    source.close();
    sink.close();
  }
}
