// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SharedReceiveQueue;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One side of a test on a real device: a protection domain with two completion queues and a piece
 * of registered memory, and whatever the test makes from it. Confined to the test's thread.
 */
final class RdmaSide implements AutoCloseable {
  static final int ALL_ACCESS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
  static final int PORT = 1;
  static final int QUEUE_KEY = 0x11112222;
  static final QueuePairCapabilities SIZES = new QueuePairCapabilities(32, 32, 4, 4, 64);
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
  private static final int DEPTH = 256;
  private static final int MEMORY_BYTES = 1 << 20;

  /** A completion, kept for comparison. */
  record Done(
      long id,
      CompletionStatus status,
      CompletionOpcode opcode,
      int lengthBytes,
      String immediate,
      int queuePair,
      int source,
      boolean hasRoute) {}

  final VerbsDevice device;
  final GidEntry gid;
  final ProtectionDomain domain;
  final CompletionChannel channel;
  final CompletionQueue sends;
  final CompletionQueue receives;
  final ByteBuffer memory;
  final MemoryRegion region;
  private final WorkCompletions batch;
  private final Deque<AutoCloseable> children = new ArrayDeque<>();

  /** A side with all rights on its memory, which speaks from the first IPv4 address. */
  RdmaSide(VerbsDevice device) throws VerbsException {
    this(device, 0, ALL_ACCESS);
  }

  /**
   * @param address which of the port's IPv4 addresses; the last if it has fewer
   */
  RdmaSide(VerbsDevice device, int address, int memoryAccess) throws VerbsException {
    this.device = device;
    gid = gidOf(device, address);
    domain = device.allocateProtectionDomain();
    channel = device.createCompletionChannel();
    sends = device.createCompletionQueue(DEPTH, channel);
    receives = device.createCompletionQueue(DEPTH, channel);
    memory = ByteBuffer.allocateDirect(MEMORY_BYTES);
    region = domain.register(memory, memoryAccess);
    batch = sends.newCompletions(1);
  }

  private static GidEntry gidOf(VerbsDevice device, int address) throws VerbsException {
    List<GidEntry> rows =
        device.gidTable(PORT).stream().filter(row -> row.gid().isIpv4Mapped()).toList();
    assertTrue(!rows.isEmpty(), device.name() + " has no IPv4 address");
    return rows.get(Math.min(address, rows.size() - 1));
  }

  /** The way from here to another side. */
  PeerAddress to(RdmaSide peer) {
    return to(peer.gid.gid());
  }

  PeerAddress to(Gid peer) {
    return new PeerAddress(peer, 0, gid.index(), 64, 0, 0);
  }

  /** Closes something with this side, before what it was made from. */
  <T extends AutoCloseable> T own(T child) {
    children.push(child);
    return child;
  }

  RdmaEnd end(QueuePairType type) throws VerbsException {
    return end(type, SIZES);
  }

  RdmaEnd end(QueuePairType type, QueuePairCapabilities sizes) throws VerbsException {
    return new RdmaEnd(this, own(domain.createQueuePair(type, sizes, sends, receives)));
  }

  RdmaEnd end(QueuePairType type, SharedReceiveQueue shared) throws VerbsException {
    return new RdmaEnd(this, own(domain.createQueuePair(type, SIZES, sends, receives, shared)));
  }

  /** What has completed in a queue now, but no more than so many. */
  List<Done> poll(CompletionQueue queue, int most) {
    List<Done> done = new ArrayList<>();
    int count = 1;
    while (done.size() < most && count > 0) {
      count = queue.poll(batch);
      int answer = count;
      assertTrue(answer >= 0, () -> "poll answered " + answer);
      if (count > 0) {
        done.add(first());
      }
    }
    return done;
  }

  private Done first() {
    boolean isSuccess = batch.status(0) == CompletionStatus.SUCCESS;
    return new Done(
        batch.id(0),
        batch.status(0),
        isSuccess ? batch.opcode(0) : null,
        isSuccess ? batch.lengthBytes(0) : 0,
        isSuccess && batch.hasImmediate(0) ? Integer.toString(batch.immediate(0)) : "none",
        batch.queuePairNumber(0),
        batch.sourceQueuePair(0),
        isSuccess && batch.hasRouteHeader(0));
  }

  /** The next completions of a queue, exactly so many. */
  List<Done> await(CompletionQueue queue, int count) {
    List<Done> done = new ArrayList<>();
    long endNs = System.nanoTime() + DEADLINE_NS;
    while (done.size() < count) {
      assertTrue(System.nanoTime() - endNs < 0, () -> "of " + count + " completions only " + done);
      done.addAll(poll(queue, count - done.size()));
    }
    return done;
  }

  Done sent() {
    return await(sends, 1).get(0);
  }

  Done received() {
    return await(receives, 1).get(0);
  }

  /** The next send completion is that id with that status. */
  void expectSent(long id, CompletionStatus status) {
    Done done = sent();
    assertEquals(id + " " + status, done.id() + " " + done.status());
  }

  void expectReceived(long id, CompletionStatus status) {
    Done done = received();
    assertEquals(id + " " + status, done.id() + " " + done.status());
  }

  /** Fills part of the memory with bytes that depend on a seed and on their place. */
  void fill(int offset, int lengthBytes, int seed) {
    for (int i = 0; i < lengthBytes; i++) {
      memory.put(offset + i, Endpoint.pattern(i, seed));
    }
  }

  void expect(int offset, int lengthBytes, int seed) {
    for (int i = 0; i < lengthBytes; i++) {
      if (memory.get(offset + i) != Endpoint.pattern(i, seed)) {
        assertEquals(
            Endpoint.pattern(i, seed), memory.get(offset + i), "byte " + i + " of " + lengthBytes);
      }
    }
  }

  private static void closeChild(AutoCloseable child) throws VerbsException {
    try {
      child.close();
    } catch (VerbsException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("verbs throw nothing else", e);
    }
  }

  @Override
  public void close() throws VerbsException {
    for (AutoCloseable child : children) {
      closeChild(child);
    }
    region.close();
    receives.close();
    sends.close();
    channel.close();
    domain.close();
  }
}
