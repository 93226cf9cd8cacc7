// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;

/** Memory and queue pairs of a soft device that may be used together. Any thread may call it. */
final class SoftProtectionDomain implements ProtectionDomain {
  private static final int REMOTE_CHANGE = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
  private static final int ALL =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.OPTIONAL;

  private final SoftDevice device;
  private int children;
  private boolean isClosed;

  SoftProtectionDomain(SoftDevice device) {
    this.device = device;
  }

  SoftDevice device() {
    return device;
  }

  /** A region or queue pair was closed. With the device's lock held. */
  void childClosed() {
    children--;
  }

  @Override
  public MemoryRegion register(ByteBuffer buffer, int access) throws VerbsException {
    return register(List.of(buffer), access);
  }

  @Override
  public MemoryRegion register(List<ByteBuffer> segments, int access) throws VerbsException {
    checkRegistration(segments, access);
    return device.lockedResult(() -> add(device.nextAddress(), segments, access));
  }

  @Override
  public MemoryRegion registerAt(long iova, List<ByteBuffer> segments, int access)
      throws VerbsException {
    checkRegistration(segments, access);
    return device.lockedResult(() -> add(iova, segments, access));
  }

  private SoftMemoryRegion add(long address, List<ByteBuffer> segments, int access)
      throws VerbsException {
    requireOpen();
    SoftMemoryRegion region = new SoftMemoryRegion(this, address, segments, access);
    device.keys().add(region);
    children++;
    return region;
  }

  private static void checkRegistration(List<ByteBuffer> segments, int access)
      throws VerbsException {
    for (ByteBuffer segment : segments) {
      if (!segment.isDirect() || segment.capacity() == 0) {
        throw new VerbsException(
            Errno.EINVAL,
            "cannot register "
                + (segment.isDirect() ? "an empty buffer" : "a heap buffer")
                + ": memory must be direct, as from ByteBuffer.allocateDirect, and not empty");
      }
      refuseReadOnly(segment, access);
    }
    if (segments.isEmpty()
        || (access & ~ALL) != 0
        || (access & REMOTE_CHANGE) != 0 && (access & Access.LOCAL_WRITE) == 0) {
      throw new VerbsException(
          Errno.EINVAL,
          "cannot register "
              + segments.size()
              + " buffers with access bits "
              + access
              + ": at least one buffer, known bits only, and REMOTE_WRITE and REMOTE_ATOMIC need"
              + " LOCAL_WRITE as well");
    }
  }

  private static void refuseReadOnly(ByteBuffer segment, int access) throws VerbsException {
    if (segment.isReadOnly() && (access & (Access.LOCAL_WRITE | REMOTE_CHANGE)) != 0) {
      throw new VerbsException(
          Errno.EFAULT, "cannot register a read-only buffer for writing: leave out the write bits");
    }
  }

  @Override
  public QueuePair createQueuePair(
      QueuePairCapabilities capabilities, CompletionQueue sendQueue, CompletionQueue receiveQueue)
      throws VerbsException {
    refuseBeyondLimits(capabilities);
    SoftCompletionQueue sends = own(sendQueue);
    SoftCompletionQueue receives = own(receiveQueue);
    return device.lockedResult(() -> addQueuePair(capabilities, sends, receives));
  }

  private SoftQueuePair addQueuePair(
      QueuePairCapabilities capabilities, SoftCompletionQueue sends, SoftCompletionQueue receives)
      throws VerbsException {
    requireOpen();
    SoftQueuePair queuePair =
        new SoftQueuePair(this, device.queuePairs().nextNumber(), capabilities, sends, receives);
    device.queuePairs().add(queuePair.engine());
    sends.addUser(queuePair.engine());
    receives.addUser(queuePair.engine());
    children++;
    return queuePair;
  }

  private SoftCompletionQueue own(CompletionQueue queue) throws VerbsException {
    if (queue instanceof SoftCompletionQueue soft && soft.device() == device) {
      return soft;
    }
    throw new VerbsException(
        Errno.EINVAL, "the completion queue is not one of device " + device.name());
  }

  private static void refuseBeyondLimits(QueuePairCapabilities wanted) throws VerbsException {
    if (wanted.sendDepth() > SoftLimits.MAX_QUEUE_DEPTH
        || wanted.receiveDepth() > SoftLimits.MAX_QUEUE_DEPTH
        || wanted.sendSges() > SoftLimits.MAX_SGES
        || wanted.receiveSges() > SoftLimits.MAX_SGES
        || wanted.inlineBytes() > SoftLimits.MAX_INLINE_BYTES) {
      throw new VerbsException(
          Errno.EINVAL,
          wanted
              + " is beyond the device's limits: depth "
              + SoftLimits.MAX_QUEUE_DEPTH
              + ", entries "
              + SoftLimits.MAX_SGES
              + ", inline bytes "
              + SoftLimits.MAX_INLINE_BYTES);
    }
  }

  private void requireOpen() throws VerbsException {
    if (isClosed) {
      throw new VerbsException(Errno.EBADF, "the protection domain is closed");
    }
  }

  @Override
  public void close() throws VerbsException {
    device.lockedThrowing(this::closeOnce);
  }

  private void closeOnce() throws VerbsException {
    if (!isClosed) {
      SoftDevice.refuseWhileUsed("protection domain", children, "memory regions or queue pairs");
      isClosed = true;
      device.childClosed();
    }
  }
}
