// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.GidEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One side of a contract test: a device with one queue pair, its completion queues and a piece of
 * registered memory. Confined to the test's thread.
 */
public final class Endpoint implements AutoCloseable {
  /** How one side is set up; what tests vary. */
  public record Setup(
      QueuePairCapabilities sizes,
      int completionDepth,
      int memoryBytes,
      int memoryAccess,
      int queuePairAccess,
      int timeout,
      int retryCount,
      int rnrRetry,
      int rnrTimer,
      int maxReadAtomic) {
    public static final int ALL_ACCESS =
        Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

    /** What most tests need. */
    public static Setup usual() {
      return new Setup(
          new QueuePairCapabilities(32, 32, 4, 4, 64),
          256,
          1 << 20,
          ALL_ACCESS,
          ALL_ACCESS,
          18,
          6,
          6,
          12,
          4);
    }

    public Setup withSizes(QueuePairCapabilities newSizes) {
      return new Setup(
          newSizes,
          completionDepth,
          memoryBytes,
          memoryAccess,
          queuePairAccess,
          timeout,
          retryCount,
          rnrRetry,
          rnrTimer,
          maxReadAtomic);
    }

    public Setup withCompletionDepth(int depth) {
      return new Setup(
          sizes,
          depth,
          memoryBytes,
          memoryAccess,
          queuePairAccess,
          timeout,
          retryCount,
          rnrRetry,
          rnrTimer,
          maxReadAtomic);
    }

    public Setup withMemory(int bytes, int access) {
      return new Setup(
          sizes,
          completionDepth,
          bytes,
          access,
          queuePairAccess,
          timeout,
          retryCount,
          rnrRetry,
          rnrTimer,
          maxReadAtomic);
    }

    public Setup withQueuePairAccess(int access) {
      return new Setup(
          sizes,
          completionDepth,
          memoryBytes,
          memoryAccess,
          access,
          timeout,
          retryCount,
          rnrRetry,
          rnrTimer,
          maxReadAtomic);
    }

    public Setup withPatience(int newTimeout, int newRetryCount) {
      return new Setup(
          sizes,
          completionDepth,
          memoryBytes,
          memoryAccess,
          queuePairAccess,
          newTimeout,
          newRetryCount,
          rnrRetry,
          rnrTimer,
          maxReadAtomic);
    }

    public Setup withRnr(int retry, int timer) {
      return new Setup(
          sizes,
          completionDepth,
          memoryBytes,
          memoryAccess,
          queuePairAccess,
          timeout,
          retryCount,
          retry,
          timer,
          maxReadAtomic);
    }

    public Setup withMaxReadAtomic(int most) {
      return new Setup(
          sizes,
          completionDepth,
          memoryBytes,
          memoryAccess,
          queuePairAccess,
          timeout,
          retryCount,
          rnrRetry,
          rnrTimer,
          most);
    }
  }

  /** A completion, kept for comparison. */
  public record Done(
      long id,
      CompletionStatus status,
      CompletionOpcode opcode,
      int lengthBytes,
      boolean hasImmediate,
      int immediate,
      int queuePair) {}

  /** Of all wires between endpoints. */
  public static final WireKey WIRE_KEY =
      WireKey.of("known to both endpoints".getBytes(StandardCharsets.US_ASCII));

  public final VerbsDevice device;
  public final Setup setup;
  public final ProtectionDomain domain;
  public final CompletionChannel channel;
  public final CompletionQueue sends;
  public final CompletionQueue receives;
  public final ByteBuffer memory;
  public final MemoryRegion region;
  public final QueuePair queuePair;
  public final SendChain chain;
  public final ReceiveChain receiveChain;
  private final int firstPsn;
  private final WorkCompletions batch;
  private boolean isClosed;

  public Endpoint(VerbsDevice device, Setup setup, int firstPsn) throws VerbsException {
    this.device = device;
    this.setup = setup;
    this.firstPsn = firstPsn;
    domain = device.allocateProtectionDomain();
    channel = device.createCompletionChannel();
    sends = device.createCompletionQueue(setup.completionDepth(), channel);
    receives = device.createCompletionQueue(setup.completionDepth(), channel);
    memory = ByteBuffer.allocateDirect(setup.memoryBytes());
    region = domain.register(memory, setup.memoryAccess());
    queuePair = domain.createQueuePair(setup.sizes(), sends, receives);
    chain = queuePair.newSendChain(setup.sizes().sendDepth());
    receiveChain = queuePair.newReceiveChain(setup.sizes().receiveDepth());
    batch = sends.newCompletions(1);
  }

  public GidEntry gid() throws VerbsException {
    return device.gidTable(1).get(0);
  }

  public void toInit() throws VerbsException {
    queuePair.toInit(new InitAttributes(1, 0, setup.queuePairAccess()));
  }

  public void toReadyToReceive(Endpoint peer) throws VerbsException {
    PeerAddress address =
        new PeerAddress(peer.gid().gid(), peer.device.wirePort(), gid().index(), 64, 0, 0)
            .withWireKey(WIRE_KEY);
    queuePair.toReadyToReceive(
        new ReadyToReceiveAttributes(
            address,
            peer.queuePair.number(),
            peer.firstPsn,
            1024,
            setup.maxReadAtomic(),
            setup.rnrTimer()));
  }

  public void toReadyToSend() throws VerbsException {
    queuePair.toReadyToSend(readyToSend());
  }

  public ReadyToSendAttributes readyToSend() {
    ReadyToSendAttributes usual =
        new ReadyToSendAttributes(
            firstPsn, setup.timeout(), setup.retryCount(), setup.rnrRetry(), setup.maxReadAtomic());
    // Tests choose one patience for adapters and for software.
    return new ReadyToSendAttributes(
        firstPsn,
        setup.timeout(),
        setup.retryCount(),
        setup.rnrRetry(),
        setup.maxReadAtomic(),
        usual.silenceNs());
  }

  /** Brings both to RTS. */
  public static void connect(Endpoint first, Endpoint second) throws VerbsException {
    first.toInit();
    second.toInit();
    first.toReadyToReceive(second);
    second.toReadyToReceive(first);
    first.toReadyToSend();
    second.toReadyToSend();
  }

  // --- describing and posting

  /** Begins a chain of one signalled request without memory. */
  public SendChain begin(long id, SendOpcode opcode) {
    return begin(id, opcode, SendFlags.SIGNALED);
  }

  public SendChain begin(long id, SendOpcode opcode, int flags) {
    chain.clear();
    chain.begin(id, opcode, flags);
    return chain;
  }

  /** Adds part of the endpoint's memory to the request begun last. */
  public Endpoint sge(int offset, int lengthBytes) {
    chain.sge(region.address() + offset, lengthBytes, region.localKey());
    return this;
  }

  /** Names part of the peer's memory. */
  public Endpoint remote(Endpoint peer, long offset) {
    chain.remote(peer.region.address() + offset, peer.region.remoteKey());
    return this;
  }

  public void post() {
    assertEquals(0, queuePair.postSend(chain), "errno of the post");
  }

  public void postSend(long id, int offset, int lengthBytes) {
    begin(id, SendOpcode.SEND);
    sge(offset, lengthBytes).post();
  }

  public void postWrite(long id, int offset, int lengthBytes, Endpoint peer, long remoteOffset) {
    begin(id, SendOpcode.RDMA_WRITE);
    sge(offset, lengthBytes).remote(peer, remoteOffset).post();
  }

  public void postRead(long id, int offset, int lengthBytes, Endpoint peer, long remoteOffset) {
    begin(id, SendOpcode.RDMA_READ);
    sge(offset, lengthBytes).remote(peer, remoteOffset).post();
  }

  public int tryReceive(long id, int offset, int lengthBytes) {
    receiveChain.clear();
    receiveChain.begin(id);
    if (lengthBytes > 0) {
      receiveChain.sge(region.address() + offset, lengthBytes, region.localKey());
    }
    return queuePair.postReceive(receiveChain);
  }

  public void postReceive(long id, int offset, int lengthBytes) {
    assertEquals(0, tryReceive(id, offset, lengthBytes), "errno of the post");
  }

  // --- completions

  /** What has completed in a queue now, but no more than so many. */
  public List<Done> poll(CompletionQueue queue, int most) {
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
    boolean hasImmediate = isSuccess && batch.hasImmediate(0);
    return new Done(
        batch.id(0),
        batch.status(0),
        isSuccess ? batch.opcode(0) : null,
        batch.lengthBytes(0),
        hasImmediate,
        hasImmediate ? batch.immediate(0) : 0,
        batch.queuePairNumber(0));
  }

  // --- memory

  /** Fills part of the memory with bytes that depend on a seed and on their place. */
  public void fill(int offset, int lengthBytes, int seed) {
    for (int i = 0; i < lengthBytes; i++) {
      memory.put(offset + i, pattern(i, seed));
    }
  }

  public void expect(int offset, int lengthBytes, int seed) {
    for (int i = 0; i < lengthBytes; i++) {
      if (memory.get(offset + i) != pattern(i, seed)) {
        assertEquals(pattern(i, seed), memory.get(offset + i), "byte " + i + " of " + lengthBytes);
      }
    }
  }

  public static byte pattern(int index, int seed) {
    int mixed = (index + 1) * 0x9E3779B1 ^ seed * 0x85EBCA6B;
    return (byte) (mixed >>> 24 ^ mixed >>> 11);
  }

  @Override
  public void close() throws VerbsException {
    if (!isClosed) {
      isClosed = true;
      queuePair.close();
      region.close();
      receives.close();
      sends.close();
      channel.close();
      domain.close();
    }
  }
}
