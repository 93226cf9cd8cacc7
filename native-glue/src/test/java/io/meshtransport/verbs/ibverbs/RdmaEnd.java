// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;

/** A queue pair of a test, with its chains. Its {@link RdmaSide} closes it. */
final class RdmaEnd {
  static final int FIRST_PSN = 0xFFFFF0;
  static final int MTU_BYTES = 1024;

  /**
   * Waits for a receive without end, for the tests have their own deadlines, and a second for an
   * acknowledgement: an emulated host may be away for longer than the usual 67 ms.
   */
  static final ReadyToSendAttributes PATIENCE = new ReadyToSendAttributes(FIRST_PSN, 18, 6, 7, 4);

  final RdmaSide side;
  final QueuePair queuePair;
  final SendChain chain;
  final ReceiveChain receiveChain;

  RdmaEnd(RdmaSide side, QueuePair queuePair) {
    this.side = side;
    this.queuePair = queuePair;
    chain = queuePair.newSendChain(RdmaSide.SIZES.sendDepth());
    receiveChain = queuePair.newReceiveChain(RdmaSide.SIZES.receiveDepth());
  }

  RdmaEnd toInit() throws VerbsException {
    return toInit(RdmaSide.ALL_ACCESS);
  }

  RdmaEnd toInit(int access) throws VerbsException {
    boolean isDatagram = queuePair.type() == QueuePairType.UD;
    queuePair.toInit(
        new InitAttributes(
            RdmaSide.PORT, 0, isDatagram ? 0 : access, isDatagram ? RdmaSide.QUEUE_KEY : 0));
    return this;
  }

  ReadyToReceiveAttributes path(RdmaEnd peer) {
    return new ReadyToReceiveAttributes(
        side.to(peer.side), peer.queuePair.number(), FIRST_PSN, MTU_BYTES, 4, 12);
  }

  RdmaEnd toReadyToReceive(RdmaEnd peer) throws VerbsException {
    if (queuePair.type() == QueuePairType.UD) {
      queuePair.toReadyToReceive();
    } else {
      queuePair.toReadyToReceive(path(peer));
    }
    return this;
  }

  RdmaEnd toReadyToSend() throws VerbsException {
    if (queuePair.type() == QueuePairType.RC) {
      queuePair.toReadyToSend(PATIENCE);
    } else {
      queuePair.toReadyToSend(FIRST_PSN);
    }
    return this;
  }

  /** Brings both to RTS, with all rights. */
  static void connect(RdmaEnd first, RdmaEnd second) throws VerbsException {
    first.toInit();
    second.toInit();
    connectFromInit(first, second);
  }

  static void connectFromInit(RdmaEnd first, RdmaEnd second) throws VerbsException {
    first.toReadyToReceive(second);
    second.toReadyToReceive(first);
    first.toReadyToSend();
    second.toReadyToSend();
  }

  /** Begins a chain of one signalled request. */
  RdmaEnd begin(long id, SendOpcode opcode) {
    return begin(id, opcode, SendFlags.SIGNALED);
  }

  RdmaEnd begin(long id, SendOpcode opcode, int flags) {
    chain.clear();
    chain.begin(id, opcode, flags);
    return this;
  }

  RdmaEnd sge(long offset, int lengthBytes) {
    chain.sge(side.region.address() + offset, lengthBytes, side.region.localKey());
    return this;
  }

  RdmaEnd remote(RdmaSide peer, long offset) {
    chain.remote(peer.region.address() + offset, peer.region.remoteKey());
    return this;
  }

  RdmaEnd immediate(int value) {
    chain.immediate(value);
    return this;
  }

  RdmaEnd atomic(long compareOrAdd, long swap) {
    chain.atomic(compareOrAdd, swap);
    return this;
  }

  /** Where a datagram goes. */
  RdmaEnd to(AddressHandle way, RdmaEnd peer) {
    chain.destination(way, peer.queuePair.number(), RdmaSide.QUEUE_KEY);
    return this;
  }

  void post() {
    assertEquals(0, queuePair.postSend(chain), "errno of the post");
  }

  int tryReceive(long id, long offset, int lengthBytes) {
    receiveChain.clear();
    receiveChain.begin(id);
    if (lengthBytes > 0) {
      receiveChain.sge(side.region.address() + offset, lengthBytes, side.region.localKey());
    }
    return queuePair.postReceive(receiveChain);
  }

  void postReceive(long id, long offset, int lengthBytes) {
    assertEquals(0, tryReceive(id, offset, lengthBytes), "errno of the post");
  }
}
