// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairAttributes;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads a struct ibv_qp_attr as ibv_query_qp filled it. A device leaves in it whatever was set
 * before a reset, so what counts depends on the states gone through since.
 */
final class QueuePairQuery {
  /** Everything that this library sets. */
  static final int MASK =
      Layout.QpAttrMask.STATE
          | Layout.QpAttrMask.ACCESS_FLAGS
          | Layout.QpAttrMask.PKEY_INDEX
          | Layout.QpAttrMask.PORT
          | Layout.QpAttrMask.QKEY
          | Layout.QpAttrMask.AV
          | Layout.QpAttrMask.PATH_MTU
          | Layout.QpAttrMask.TIMEOUT
          | Layout.QpAttrMask.RETRY_CNT
          | Layout.QpAttrMask.RNR_RETRY
          | Layout.QpAttrMask.RQ_PSN
          | Layout.QpAttrMask.MAX_QP_RD_ATOMIC
          | Layout.QpAttrMask.MIN_RNR_TIMER
          | Layout.QpAttrMask.SQ_PSN
          | Layout.QpAttrMask.MAX_DEST_RD_ATOMIC
          | Layout.QpAttrMask.DEST_QPN
          | Layout.QpAttrMask.CAP;

  private final ByteBuffer bytes;
  private final QueuePairType type;

  /** How far the queue pair came since its last reset, errors notwithstanding. */
  private final QueuePairState reached;

  QueuePairQuery(ByteBuffer bytes, QueuePairType type, QueuePairState reached) {
    this.bytes = bytes;
    this.type = type;
    this.reached = reached;
  }

  private boolean hasReached(QueuePairState state) {
    return reached.code() >= state.code();
  }

  QueuePairState state() {
    return QueuePairState.ofCode(bytes.getInt(Layout.QpAttr.QP_STATE));
  }

  QueuePairAttributes attributes(QueuePairCapabilities capabilities) {
    boolean isConnected = type != QueuePairType.UD;
    return new QueuePairAttributes(
        state(),
        capabilities,
        hasReached(QueuePairState.INIT) ? Optional.of(initial()) : Optional.empty(),
        isConnected && hasReached(QueuePairState.RTR) ? Optional.of(receiving()) : Optional.empty(),
        type == QueuePairType.RC && hasReached(QueuePairState.RTS)
            ? Optional.of(sending())
            : Optional.empty(),
        hasReached(QueuePairState.RTS) ? bytes.getInt(Layout.QpAttr.SQ_PSN) : 0);
  }

  private int unsigned(int field) {
    return bytes.get(field) & 0xFF;
  }

  private InitAttributes initial() {
    boolean isDatagram = type == QueuePairType.UD;
    return new InitAttributes(
        unsigned(Layout.QpAttr.PORT_NUM),
        bytes.getShort(Layout.QpAttr.PKEY_INDEX) & 0xFFFF,
        isDatagram ? 0 : bytes.getInt(Layout.QpAttr.QP_ACCESS_FLAGS),
        isDatagram ? bytes.getInt(Layout.QpAttr.QKEY) : 0);
  }

  private ReadyToReceiveAttributes receiving() {
    boolean isReliable = type == QueuePairType.RC;
    return new ReadyToReceiveAttributes(
        peer(),
        bytes.getInt(Layout.QpAttr.DEST_QP_NUM),
        bytes.getInt(Layout.QpAttr.RQ_PSN),
        Mtu.ofCode(bytes.getInt(Layout.QpAttr.PATH_MTU)),
        isReliable ? unsigned(Layout.QpAttr.MAX_DEST_RD_ATOMIC) : 0,
        isReliable ? unsigned(Layout.QpAttr.MIN_RNR_TIMER) : 0);
  }

  private PeerAddress peer() {
    byte[] gid = new byte[Gid.LENGTH_BYTES];
    bytes.get(Layout.QpAttr.AH_ATTR + Layout.AhAttr.DGID, gid);
    return new PeerAddress(
        Gid.ofBytes(gid),
        0,
        unsigned(Layout.QpAttr.AH_ATTR + Layout.AhAttr.SGID_INDEX),
        unsigned(Layout.QpAttr.AH_ATTR + Layout.AhAttr.HOP_LIMIT),
        unsigned(Layout.QpAttr.AH_ATTR + Layout.AhAttr.TRAFFIC_CLASS),
        unsigned(Layout.QpAttr.AH_ATTR + Layout.AhAttr.SL));
  }

  private ReadyToSendAttributes sending() {
    return new ReadyToSendAttributes(
        bytes.getInt(Layout.QpAttr.SQ_PSN),
        unsigned(Layout.QpAttr.TIMEOUT),
        unsigned(Layout.QpAttr.RETRY_CNT),
        unsigned(Layout.QpAttr.RNR_RETRY),
        unsigned(Layout.QpAttr.MAX_RD_ATOMIC));
  }
}
