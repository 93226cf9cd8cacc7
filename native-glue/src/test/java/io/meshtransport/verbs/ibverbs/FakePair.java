// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What most tests on the fake library need: a device with everything on it, up to a queue pair in
 * RESET.
 */
final class FakePair implements AutoCloseable {
  static final QueuePairCapabilities SIZES = new QueuePairCapabilities(8, 8, 2, 2, 16);
  static final PeerAddress PEER = new PeerAddress(new Gid(0, 0xFFFF_0A00_0102L), 0, 6, 64, 0x20, 3);

  final NativeDevice device;
  final NativeProtectionDomain domain;
  final NativeCompletionChannel channel;
  final NativeCompletionQueue sends;
  final NativeCompletionQueue receives;
  final NativeMemoryRegion region;
  final NativeQueuePair queuePair;
  final SendChain chain;
  final ReceiveChain receiveChain;
  private final List<NativeObject> all = new ArrayList<>();

  FakePair(NativeDevice device) throws VerbsException {
    this.device = device;
    domain = (NativeProtectionDomain) device.allocateProtectionDomain();
    channel = (NativeCompletionChannel) device.createCompletionChannel();
    sends = (NativeCompletionQueue) device.createCompletionQueue(64, channel);
    receives = (NativeCompletionQueue) device.createCompletionQueue(64, channel);
    region =
        (NativeMemoryRegion) domain.register(ByteBuffer.allocateDirect(4096), Access.LOCAL_WRITE);
    queuePair = (NativeQueuePair) domain.createQueuePair(SIZES, sends, receives);
    chain = queuePair.newSendChain(8);
    receiveChain = queuePair.newReceiveChain(8);
    all.addAll(List.of(queuePair, region, receives, sends, channel, domain, device));
  }

  FakePair toReadyToSend() throws VerbsException {
    queuePair.toInit(new InitAttributes(1, 0, Access.LOCAL_WRITE));
    queuePair.toReadyToReceive(new ReadyToReceiveAttributes(PEER, 0xABCDEF, 5, 1024, 3, 12));
    queuePair.toReadyToSend(new ReadyToSendAttributes(9, 14, 6, 5, 4));
    return this;
  }

  int send(long id) {
    chain.clear();
    chain.begin(id, SendOpcode.SEND, SendFlags.SIGNALED);
    chain.sge(region.address(), 100, region.localKey());
    return queuePair.postSend(chain);
  }

  int receive(long id) {
    receiveChain.clear();
    receiveChain.begin(id);
    receiveChain.sge(region.address(), 100, region.localKey());
    return queuePair.postReceive(receiveChain);
  }

  @Override
  public void close() throws VerbsException {
    for (NativeObject object : all) {
      object.close();
    }
  }
}
