// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SharedReceiveQueue;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** A protection domain of libibverbs (struct ibv_pd). Any thread. */
final class NativeProtectionDomain extends DeviceObject implements ProtectionDomain {
  private NativeProtectionDomain(long pointer, NativeDevice device) {
    super(pointer, "protection domain", device, device);
  }

  /** Inside the device's gate. */
  static NativeProtectionDomain allocate(NativeDevice device) throws VerbsException {
    long pointer = device.exported().ibv_alloc_pd(device.pointer());
    NativeFailure.checkPointer(pointer, "ibv_alloc_pd", device.description());
    return checked(new NativeProtectionDomain(pointer, device));
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_pd.context", pointer(), Layout.Pd.CONTEXT, device().pointer());
  }

  @Override
  public MemoryRegion register(ByteBuffer buffer, int access) throws VerbsException {
    return register(List.of(buffer), access);
  }

  @Override
  public MemoryRegion register(List<ByteBuffer> segments, int access) throws VerbsException {
    Extent extent = Extent.of(segments, access);
    return inside(() -> NativeMemoryRegion.register(this, extent, access), this);
  }

  @Override
  public MemoryRegion registerAt(long iova, List<ByteBuffer> segments, int access)
      throws VerbsException {
    Extent extent = Extent.of(segments, access);
    return inside(() -> NativeMemoryRegion.registerAt(this, iova, extent, access), this);
  }

  @Override
  public MemoryRegion registerDmaBuf(
      int fileDescriptor, long offsetBytes, long lengthBytes, long iova, int access)
      throws VerbsException {
    Extent.refuseAccess(access);
    DmaBuf memory = DmaBuf.of(fileDescriptor, offsetBytes, lengthBytes);
    return inside(() -> NativeMemoryRegion.registerDmaBuf(this, memory, iova, access), this);
  }

  @Override
  public QueuePair createQueuePair(
      QueuePairCapabilities capabilities, CompletionQueue sendQueue, CompletionQueue receiveQueue)
      throws VerbsException {
    return createQueuePair(QueuePairType.RC, capabilities, sendQueue, receiveQueue);
  }

  @Override
  public QueuePair createQueuePair(
      QueuePairType type,
      QueuePairCapabilities capabilities,
      CompletionQueue sendQueue,
      CompletionQueue receiveQueue)
      throws VerbsException {
    NativeCompletionQueue sends = device().own(NativeCompletionQueue.class, sendQueue);
    NativeCompletionQueue receives = device().own(NativeCompletionQueue.class, receiveQueue);
    QueuePairCreation creation =
        new QueuePairCreation(type, capabilities, sends, receives, Optional.empty());
    return inside(() -> creation.make(this), this, sends, receives);
  }

  @Override
  public QueuePair createQueuePair(
      QueuePairType type,
      QueuePairCapabilities capabilities,
      CompletionQueue sendQueue,
      CompletionQueue receiveQueue,
      SharedReceiveQueue sharedQueue)
      throws VerbsException {
    NativeCompletionQueue sends = device().own(NativeCompletionQueue.class, sendQueue);
    NativeCompletionQueue receives = device().own(NativeCompletionQueue.class, receiveQueue);
    NativeSharedReceiveQueue shared = device().own(NativeSharedReceiveQueue.class, sharedQueue);
    QueuePairCreation creation =
        new QueuePairCreation(type, capabilities, sends, receives, Optional.of(shared));
    return inside(() -> creation.make(this), this, sends, receives, shared);
  }

  @Override
  public SharedReceiveQueue createSharedReceiveQueue(int depth, int sges) throws VerbsException {
    return inside(() -> NativeSharedReceiveQueue.create(this, depth, sges), this);
  }

  @Override
  public AddressHandle createAddressHandle(PeerAddress peer, int port) throws VerbsException {
    return inside(() -> NativeAddressHandle.create(this, peer, port), this);
  }

  @Override
  int destroy() {
    return exported().ibv_dealloc_pd(pointer());
  }

  @Override
  String destroyCall() {
    return "ibv_dealloc_pd";
  }
}
