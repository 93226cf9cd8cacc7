// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.collectives.exec.Arithmetic;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.FakeMemory;
import io.meshtransport.collectives.exec.Local;
import io.meshtransport.collectives.exec.Peers;
import io.meshtransport.collectives.exec.Region;
import io.meshtransport.spi.RemoteMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the ranks of one group have in common in virtual time: who they are, its plan, and the
 * memory and results of its operations, which are sums and gatherings of floats. One thread.
 */
final class VirtualEpoch {
  private static final int BYTES = Float.BYTES;
  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final float SCALE = 0x1p-31f;
  private static final int MAX_EXPONENT = 20;

  /** Sums in another order, of numbers of both signs. */
  private static final double ROUNDING = 1e-4;

  private final VirtualCase.Part part;
  private final RemoteMemory[][] scratch;
  private final FakeMemory[][] from;
  private final FakeMemory[][] to;

  /** By operation: what the first rank that had completed it had. */
  private final byte[][] results;

  VirtualEpoch(VirtualCase.Part part) {
    this.part = part;
    int count = part.operations().size();
    scratch = new RemoteMemory[count][size()];
    from = new FakeMemory[count][size()];
    to = new FakeMemory[count][size()];
    results = new byte[count][];
  }

  GroupMembership membership(int rank) {
    List<String> names = nodes().stream().map(each -> "node-" + each).toList();
    return new GroupMembership("virtual", "virtual-" + part.number(), part.number(), names, rank);
  }

  /** By rank. */
  List<Integer> nodes() {
    return part.nodes();
  }

  JoinedGraph graph() {
    return part.graph();
  }

  List<OperationSpec> operations() {
    return part.operations();
  }

  int size() {
    return nodes().size();
  }

  private static FakeMemory memory(long elements) {
    return new FakeMemory(Math.max(1, elements * BYTES));
  }

  /** As {@link Preparation} does before a rank tells the others. */
  Peers add(int operation, int rank, LocalRank member) {
    OperationSpec spec = operations().get(operation);
    Blueprint blueprint = part.blueprints().get(operation);
    Arithmetic arithmetic = spec.arithmetic(size());
    long scratchBytes = Math.max(1, blueprint.scratchBytes(rank, arithmetic));
    FakeMemory own = new FakeMemory(scratchBytes);
    scratch[operation][rank] = own;
    from[operation][rank] = memory(spec.sentElements(size()));
    to[operation][rank] = memory(spec.receivedElements(size()));
    fill(operation, rank);
    Local local =
        new Local(
            new Region(from[operation][rank], 0, spec.sentElements(size()) * BYTES),
            new Region(to[operation][rank], 0, spec.receivedElements(size()) * BYTES),
            new Region(own, 0, scratchBytes));
    Peers peers = new Peers(new RemoteMemory[size()], new RemoteMemory[size()], new long[size()]);
    member.engine().add(operation, blueprint, arithmetic, local, peers);
    return peers;
  }

  /** As it does once all have told. */
  void open(int operation, Peers peers) {
    System.arraycopy(scratch[operation], 0, peers.scratch(), 0, size());
    System.arraycopy(to[operation], 0, peers.results(), 0, size());
  }

  /** Of both signs, and of sizes from 1 to a million. */
  private float value(int operation, int rank, int i) {
    long mixed = (((operation + 1L) * 64 + nodes().get(rank)) * 65_536 + i) * MIX;
    mixed = (mixed ^ mixed >>> 32) * MIX;
    return Math.scalb((int) (mixed >>> 32) * SCALE, (int) (mixed & 0xFF) % MAX_EXPONENT);
  }

  private static ByteBuffer bytes(FakeMemory memory) {
    return memory.segments().get(0).duplicate().order(ByteOrder.nativeOrder());
  }

  private void fill(int operation, int rank) {
    ByteBuffer own = bytes(from[operation][rank]);
    for (int i = 0; i < operations().get(operation).sentElements(size()); i++) {
      own.putFloat(i * BYTES, value(operation, rank, i));
    }
  }

  /** Before a run: what the one before has left must not count. */
  void clear(int operation, int rank) {
    ByteBuffer result = bytes(to[operation][rank]);
    while (result.hasRemaining()) {
      result.put((byte) 0x5A);
    }
  }

  /** After a run: every rank has the same bits, in every run. */
  void check(int operation, int rank, Supplier<String> what) {
    byte[] mine = new byte[(int) operations().get(operation).receivedElements(size()) * BYTES];
    bytes(to[operation][rank]).get(mine);
    if (results[operation] == null) {
      results[operation] = mine;
      requireRight(operation, mine, what);
    }
    assertArrayEquals(results[operation], mine, what);
  }

  private void requireRight(int operation, byte[] bytes, Supplier<String> what) {
    OperationSpec spec = operations().get(operation);
    ByteBuffer result = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    int count = (int) spec.count();
    for (int i = 0; i < bytes.length / BYTES; i++) {
      float value = result.getFloat(i * BYTES);
      if (spec.kind() == OperationSpec.Kind.ALL_GATHER) {
        assertEquals(value(operation, i / count, i % count), value, what);
      } else {
        requireSum(operation, i, value, what);
      }
    }
  }

  private void requireSum(int operation, int i, float value, Supplier<String> what) {
    float inOrder = value(operation, 0, i);
    double exact = inOrder;
    double sizes = Math.abs(exact);
    for (int rank = 1; rank < size(); rank++) {
      inOrder += value(operation, rank, i);
      exact += value(operation, rank, i);
      sizes += Math.abs(value(operation, rank, i));
    }
    if (operations().get(operation).isOrdered()) {
      assertEquals(Float.floatToRawIntBits(inOrder), Float.floatToRawIntBits(value), what);
    } else {
      assertEquals(exact, value, ROUNDING * sizes, what);
    }
  }

  /** By operation; null for one that no rank has completed. */
  byte[][] results() {
    return results;
  }
}
