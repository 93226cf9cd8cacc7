// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import java.nio.ByteOrder;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What a filled struct ibv_qp_attr says of a queue pair, by its type and the states gone through.
 */
class QueuePairQueryTest {
  private static final QueuePairCapabilities SIZES = new QueuePairCapabilities(8, 4, 2, 1, 0);
  private static final Gid PEER = new Gid(0, 0xFFFF_0A00_0102L);

  /** At the offsets of verbs.h, each value another, and the unsigned ones with their top bit. */
  private static ByteBuffer filled() {
    ByteBuffer bytes = ByteBuffer.allocate(144).order(ByteOrder.nativeOrder());
    bytes.putInt(0, QueuePairState.ERR.code());
    bytes.putInt(8, 4);
    bytes.putInt(16, 0x80000123);
    bytes.putInt(20, 0xFFFFFF);
    bytes.putInt(24, 0xFFFFFE);
    bytes.putInt(28, 0xFFFFFD);
    bytes.putInt(32, 15);
    bytes.put(56, PEER.toBytes());
    bytes.put(76, (byte) 200).put(77, (byte) 255).put(78, (byte) 224).put(82, (byte) 15);
    bytes.putShort(120, (short) 0x8001);
    bytes.put(126, (byte) 130).put(127, (byte) 128).put(128, (byte) 31).put(129, (byte) 129);
    bytes.put(130, (byte) 31).put(131, (byte) 7).put(132, (byte) 6);
    return bytes;
  }

  private static QueuePairAttributes of(QueuePairType type, QueuePairState reached) {
    return new QueuePairQuery(filled(), type, reached).attributes(SIZES);
  }

  @Test
  void shouldReadAReliableConnection() {
    assertEquals(
        new QueuePairAttributes(
            QueuePairState.ERR,
            SIZES,
            Optional.of(new InitAttributes(129, 0x8001, 15)),
            Optional.of(
                new ReadyToReceiveAttributes(
                    new PeerAddress(PEER, 0, 200, 255, 224, 15),
                    0xFFFFFD,
                    0xFFFFFF,
                    2048,
                    128,
                    31)),
            Optional.of(new ReadyToSendAttributes(0xFFFFFE, 31, 7, 6, 130)),
            0xFFFFFE),
        of(QueuePairType.RC, QueuePairState.RTS));
  }

  @Test
  void shouldReadAnUnreliableConnection() {
    QueuePairAttributes read = of(QueuePairType.UC, QueuePairState.RTS);
    assertEquals(0, read.receiving().orElseThrow().maxReadAtomic());
    assertEquals(0, read.receiving().orElseThrow().minRnrTimer());
    assertEquals(0xFFFFFD, read.receiving().orElseThrow().peerQueuePair());
    assertEquals(Optional.empty(), read.sending());
    assertEquals(0xFFFFFE, read.sendPsn());
  }

  @Test
  void shouldReadDatagrams() {
    QueuePairAttributes read = of(QueuePairType.UD, QueuePairState.RTS);
    assertEquals(Optional.of(new InitAttributes(129, 0x8001, 0, 0x80000123)), read.initial());
    assertEquals(Optional.empty(), read.receiving());
    assertEquals(Optional.empty(), read.sending());
    assertEquals(0xFFFFFE, read.sendPsn());
  }

  @Test
  void shouldLeaveOutWhatWasSetBeforeAReset() {
    QueuePairAttributes reset = of(QueuePairType.RC, QueuePairState.RESET);
    assertEquals(Optional.empty(), reset.initial());
    assertEquals(Optional.empty(), reset.receiving());
    assertEquals(0, reset.sendPsn());
    QueuePairAttributes initial = of(QueuePairType.RC, QueuePairState.INIT);
    assertEquals(true, initial.initial().isPresent());
    assertEquals(Optional.empty(), initial.receiving());
    QueuePairAttributes receiving = of(QueuePairType.RC, QueuePairState.RTR);
    assertEquals(true, receiving.receiving().isPresent());
    assertEquals(Optional.empty(), receiving.sending());
    assertEquals(0, receiving.sendPsn());
  }
}
