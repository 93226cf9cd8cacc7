// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What a queue pair is made of (struct ibv_qp_init_attr).
 *
 * @param type its service
 * @param asked requested sizes; those of receives do not count with a shared queue
 * @param sends where sends complete
 * @param receives where receives complete
 * @param shared where receives come from, if not its own queue
 */
record QueuePairCreation(
    QueuePairType type,
    QueuePairCapabilities asked,
    NativeCompletionQueue sends,
    NativeCompletionQueue receives,
    Optional<NativeSharedReceiveQueue> shared) {

  /** Makes it. Inside the gates of the domain and of all that it is made of. */
  NativeQueuePair make(NativeProtectionDomain domain) throws VerbsException {
    NativeBlock block = NativeBlock.ofBytes(Layout.QpInitAttr.BYTES);
    ByteBuffer bytes = block.bytes();
    bytes.putLong(Layout.QpInitAttr.SEND_CQ, sends.pointer());
    bytes.putLong(Layout.QpInitAttr.RECV_CQ, receives.pointer());
    bytes.putLong(Layout.QpInitAttr.SRQ, sharedPointer());
    bytes.putInt(Layout.QpInitAttr.MAX_SEND_WR, asked.sendDepth());
    bytes.putInt(Layout.QpInitAttr.MAX_RECV_WR, isSharing() ? 0 : asked.receiveDepth());
    bytes.putInt(Layout.QpInitAttr.MAX_SEND_SGE, asked.sendSges());
    bytes.putInt(Layout.QpInitAttr.MAX_RECV_SGE, isSharing() ? 0 : asked.receiveSges());
    bytes.putInt(Layout.QpInitAttr.MAX_INLINE_DATA, asked.inlineBytes());
    bytes.putInt(Layout.QpInitAttr.QP_TYPE, type.code());
    long pointer = block.duringLong(at -> domain.exported().ibv_create_qp(domain.pointer(), at));
    NativeFailure.checkPointer(
        pointer, "ibv_create_qp", type + " with " + asked + " on " + domain.description());
    return DeviceObject.checked(
        new NativeQueuePair(pointer, grantedOrDestroyed(pointer, bytes, domain), domain, this));
  }

  /** Whether its receives are those of a shared queue. */
  boolean isSharing() {
    return shared.isPresent();
  }

  /** 0 without a shared queue. */
  long sharedPointer() {
    return shared.map(NativeObject::pointer).orElse(0L);
  }

  /** What must outlive it. */
  NativeObject[] parents(NativeProtectionDomain domain) {
    return shared
        .map(queue -> new NativeObject[] {domain, sends, receives, queue})
        .orElseGet(() -> new NativeObject[] {domain, sends, receives});
  }

  private QueuePairCapabilities grantedOrDestroyed(
      long pointer, ByteBuffer bytes, NativeProtectionDomain domain) throws VerbsException {
    try {
      return granted(bytes);
    } catch (IllegalArgumentException e) {
      int errno = domain.exported().ibv_destroy_qp(pointer);
      throw new VerbsException(
          Errno.EIO,
          "ibv_create_qp on "
              + domain.description()
              + " granted sizes that no queue pair has: "
              + e.getMessage()
              + ". Asked for "
              + asked
              + (errno == 0 ? "" : "; and it cannot be destroyed, " + ErrnoText.of(errno)),
          e);
    }
  }

  private QueuePairCapabilities granted(ByteBuffer bytes) {
    return new QueuePairCapabilities(
        bytes.getInt(Layout.QpInitAttr.MAX_SEND_WR),
        shared
            .map(NativeSharedReceiveQueue::depth)
            .orElseGet(() -> bytes.getInt(Layout.QpInitAttr.MAX_RECV_WR)),
        bytes.getInt(Layout.QpInitAttr.MAX_SEND_SGE),
        shared
            .map(NativeSharedReceiveQueue::sges)
            .orElseGet(() -> bytes.getInt(Layout.QpInitAttr.MAX_RECV_SGE)),
        bytes.getInt(Layout.QpInitAttr.MAX_INLINE_DATA));
  }
}
