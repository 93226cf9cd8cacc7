// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import java.nio.ByteBuffer;

/**
 * A struct ibv_qp_attr and the mask of what it changes; which state needs which is the table of man
 * ibv_modify_qp.
 */
final class Transition {
  private final QueuePairState next;
  private final NativeBlock block = NativeBlock.ofBytes(Layout.QpAttr.BYTES);
  private final ByteBuffer bytes = block.bytes();
  private int mask = Layout.QpAttrMask.STATE;

  Transition(QueuePairState next) {
    this.next = next;
    bytes.putInt(Layout.QpAttr.QP_STATE, next.code());
  }

  QueuePairState next() {
    return next;
  }

  long address() {
    return block.address();
  }

  int mask() {
    return mask;
  }

  Transition pkeyIndex(int index) {
    bytes.putShort(Layout.QpAttr.PKEY_INDEX, (short) index);
    return with(Layout.QpAttrMask.PKEY_INDEX);
  }

  Transition port(int port) {
    bytes.put(Layout.QpAttr.PORT_NUM, (byte) port);
    return with(Layout.QpAttrMask.PORT);
  }

  /** Rights of peers: on UD of those that know the key, else those of access for the one peer. */
  Transition rights(QueuePairType type, int access, int queueKey) {
    if (type == QueuePairType.UD) {
      bytes.putInt(Layout.QpAttr.QKEY, queueKey);
      return with(Layout.QpAttrMask.QKEY);
    }
    bytes.putInt(Layout.QpAttr.QP_ACCESS_FLAGS, access);
    return with(Layout.QpAttrMask.ACCESS_FLAGS);
  }

  Transition sendPsn(int psn) {
    bytes.putInt(Layout.QpAttr.SQ_PSN, psn);
    return with(Layout.QpAttrMask.SQ_PSN);
  }

  /**
   * The path of a connection.
   *
   * @param port the queue pair's own
   */
  Transition path(ReadyToReceiveAttributes attributes, int port) {
    AddressVector.write(bytes, Layout.QpAttr.AH_ATTR, attributes.peer(), port);
    bytes.putInt(Layout.QpAttr.PATH_MTU, Mtu.toCode(attributes.pathMtuBytes()));
    bytes.putInt(Layout.QpAttr.DEST_QP_NUM, attributes.peerQueuePair());
    bytes.putInt(Layout.QpAttr.RQ_PSN, attributes.receivePsn());
    return with(
        Layout.QpAttrMask.AV
            | Layout.QpAttrMask.PATH_MTU
            | Layout.QpAttrMask.DEST_QPN
            | Layout.QpAttrMask.RQ_PSN);
  }

  /** What a reliable connection does for its peer beyond that. */
  Transition service(ReadyToReceiveAttributes attributes) {
    bytes.put(Layout.QpAttr.MAX_DEST_RD_ATOMIC, (byte) attributes.maxReadAtomic());
    bytes.put(Layout.QpAttr.MIN_RNR_TIMER, (byte) attributes.minRnrTimer());
    return with(Layout.QpAttrMask.MAX_DEST_RD_ATOMIC | Layout.QpAttrMask.MIN_RNR_TIMER);
  }

  /** The attributes of a reliable connection for its peer. */
  Transition patience(ReadyToSendAttributes attributes) {
    bytes.put(Layout.QpAttr.TIMEOUT, (byte) attributes.timeout());
    bytes.put(Layout.QpAttr.RETRY_CNT, (byte) attributes.retryCount());
    bytes.put(Layout.QpAttr.RNR_RETRY, (byte) attributes.rnrRetry());
    bytes.put(Layout.QpAttr.MAX_RD_ATOMIC, (byte) attributes.maxReadAtomic());
    return with(
        Layout.QpAttrMask.TIMEOUT
            | Layout.QpAttrMask.RETRY_CNT
            | Layout.QpAttrMask.RNR_RETRY
            | Layout.QpAttrMask.MAX_QP_RD_ATOMIC);
  }

  private Transition with(int bits) {
    mask |= bits;
    return this;
  }
}
