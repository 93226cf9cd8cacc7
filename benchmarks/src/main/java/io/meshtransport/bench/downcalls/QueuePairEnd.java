// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/**
 * One end of a connection as a benchmark needs it: a queue pair with a completion queue for its
 * sends and one for its receives. Owns its device. One thread.
 */
final class QueuePairEnd implements AutoCloseable {
  static final int CHAIN = 16;
  private static final int DEPTH = 64;
  private static final int MEMORY_BYTES = 4096;
  private static final int ACCESS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
  private static final int PSN = 0;
  private static final int MTU_BYTES = 4096;
  private static final int TIMEOUT = 18;
  private static final int TRIES = 6;
  private static final int RNR_TIMER = 12;
  private static final int READS = 16;

  private final VerbsDevice device;
  private final ProtectionDomain domain;
  private final MemoryRegion region;
  final CompletionQueue sends;
  final CompletionQueue receives;
  final QueuePair pair;
  final SendChain chain;
  final ReceiveChain receiveChain;
  final WorkCompletions batch;

  /**
   * @param count requests in a chain, and completions in a batch, at most
   */
  QueuePairEnd(VerbsDevice device, int count) throws VerbsException {
    this.device = device;
    domain = device.allocateProtectionDomain();
    region = domain.register(ByteBuffer.allocateDirect(MEMORY_BYTES), ACCESS);
    sends = device.createCompletionQueue(DEPTH);
    receives = device.createCompletionQueue(DEPTH);
    pair =
        domain.createQueuePair(new QueuePairCapabilities(DEPTH, DEPTH, 1, 1, 0), sends, receives);
    chain = pair.newSendChain(count);
    receiveChain = pair.newReceiveChain(count);
    batch = sends.newCompletions(count);
  }

  static void connect(QueuePairEnd one, QueuePairEnd other) throws VerbsException {
    one.pair.toInit(new InitAttributes(1, 0, ACCESS));
    if (other != one) {
      other.pair.toInit(new InitAttributes(1, 0, ACCESS));
    }
    one.toReady(other);
    if (other != one) {
      other.toReady(one);
    }
  }

  private void toReady(QueuePairEnd peer) throws VerbsException {
    GidEntry theirs = peer.device.gidTable(1).get(0);
    int row = device.gidTable(1).get(0).index();
    pair.toReadyToReceive(
        new ReadyToReceiveAttributes(
            new PeerAddress(theirs.gid(), peer.device.wirePort(), row, 1, 0, 0),
            peer.pair.number(),
            PSN,
            MTU_BYTES,
            READS,
            RNR_TIMER));
    pair.toReadyToSend(new ReadyToSendAttributes(PSN, TIMEOUT, TRIES, TRIES, READS));
  }

  /** Writes a chain of requests, each reported, of eight bytes each. */
  void fill(int count, SendOpcode opcode, QueuePairEnd peer) {
    chain.clear();
    for (int i = 0; i < count; i++) {
      chain.begin(i, opcode, SendFlags.SIGNALED);
      chain.sge(region.address(), Long.BYTES, region.localKey());
      switch (opcode) {
        case RDMA_WRITE, RDMA_READ -> remote(peer);
        case RDMA_WRITE_WITH_IMM -> {
          remote(peer);
          chain.immediate(i);
        }
        case SEND_WITH_IMM -> chain.immediate(i);
        case ATOMIC_COMPARE_AND_SWAP, ATOMIC_FETCH_AND_ADD -> {
          remote(peer);
          chain.atomic(1, 2);
        }
        case SEND -> {
          // The peer's receive determines the address.
        }
      }
    }
  }

  private void remote(QueuePairEnd peer) {
    chain.remote(peer.region.address() + Long.BYTES, peer.region.remoteKey());
  }

  /** Writes a chain of receives. */
  void fillReceives(int count) {
    receiveChain.clear();
    for (int i = 0; i < count; i++) {
      receiveChain.begin(i);
      receiveChain.sge(region.address() + Long.BYTES, Long.BYTES, region.localKey());
    }
  }

  /** Posts the chain, which must be taken. */
  void post() {
    require(pair.postSend(chain), "post");
  }

  /** Posts the chain of receives, which must be taken. */
  void postReceives() {
    require(pair.postReceive(receiveChain), "post of receives");
  }

  private static void require(int errno, String what) {
    if (errno != 0) {
      throw new IllegalStateException("the " + what + " answered errno " + errno);
    }
  }

  /** Reads what a poll has brought, as a user would: all must have succeeded. */
  long read(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      if (batch.status(i).code() != 0) {
        throw new IllegalStateException("a request ended with " + batch.status(i));
      }
      sum += batch.id(i) + batch.lengthBytes(i);
    }
    return sum;
  }

  @Override
  public void close() throws VerbsException {
    pair.close();
    receives.close();
    sends.close();
    region.close();
    domain.close();
    device.close();
  }
}
