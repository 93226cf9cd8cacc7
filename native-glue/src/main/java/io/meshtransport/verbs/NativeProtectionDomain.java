package io.meshtransport.verbs;

import java.nio.ByteBuffer;
import java.util.List;

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
  public QueuePair createQueuePair(
      QueuePairCapabilities capabilities, CompletionQueue sendQueue, CompletionQueue receiveQueue)
      throws VerbsException {
    NativeCompletionQueue sends = device().own(NativeCompletionQueue.class, sendQueue);
    NativeCompletionQueue receives = device().own(NativeCompletionQueue.class, receiveQueue);
    return inside(
        () -> NativeQueuePair.create(this, capabilities, sends, receives), this, sends, receives);
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
