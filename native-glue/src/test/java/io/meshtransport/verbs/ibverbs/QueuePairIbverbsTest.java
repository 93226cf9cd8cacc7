// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairAttributes;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queue pairs of each type on a real device: sizes, states, what is in force, what is refused. */
@NeedsRdmaDevice
class QueuePairIbverbsTest {
  private VerbsDevice device;
  private RdmaSide a;
  private RdmaSide b;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    a = new RdmaSide(device);
    b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS);
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    b.close();
    device.close();
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeginInReset(QueuePairType type) throws VerbsException {
    QueuePair queuePair = a.end(type).queuePair;
    assertEquals(type, queuePair.type());
    assertEquals(QueuePairState.RESET, queuePair.state());
    assertTrue(queuePair.number() > 1 && queuePair.number() <= 0xFFFFFF, queuePair.number() + "");
  }

  @ParameterizedTest
  @EnumSource
  void shouldGrantAtLeastWhatWasRequested(QueuePairType type) throws VerbsException {
    QueuePair queuePair = a.end(type).queuePair;
    QueuePairAttributes asked = queuePair.query();
    assertEquals(QueuePairState.RESET, asked.state());
    assertEquals(Optional.empty(), asked.initial());
    for (QueuePairCapabilities granted :
        new QueuePairCapabilities[] {queuePair.capabilities(), asked.capabilities()}) {
      assertTrue(granted.sendDepth() >= RdmaSide.SIZES.sendDepth(), granted + "");
      assertTrue(granted.receiveDepth() >= RdmaSide.SIZES.receiveDepth(), granted + "");
      assertTrue(granted.sendSges() >= RdmaSide.SIZES.sendSges(), granted + "");
      assertTrue(granted.receiveSges() >= RdmaSide.SIZES.receiveSges(), granted + "");
      assertTrue(granted.inlineBytes() >= RdmaSide.SIZES.inlineBytes(), granted + "");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldGoThroughItsStates(QueuePairType type) throws VerbsException {
    RdmaEnd end = a.end(type);
    RdmaEnd peer = b.end(type);
    QueuePair queuePair = end.queuePair;
    end.toInit();
    assertEquals(QueuePairState.INIT, queuePair.state());
    end.toReadyToReceive(peer);
    assertEquals(QueuePairState.RTR, queuePair.state());
    end.toReadyToSend();
    assertEquals(QueuePairState.RTS, queuePair.state());
    queuePair.toError();
    assertEquals(QueuePairState.ERR, queuePair.state());
    queuePair.toReset();
    assertEquals(QueuePairState.RESET, queuePair.state());
    end.toInit().toReadyToReceive(peer).toReadyToSend();
    assertEquals(QueuePairState.RTS, queuePair.state());
  }

  @Test
  void shouldRefuseTransitionsOfOtherTypes() throws VerbsException {
    RdmaEnd datagram = a.end(QueuePairType.UD).toInit();
    RdmaEnd unreliable = a.end(QueuePairType.UC).toInit();
    RdmaEnd reliable = a.end(QueuePairType.RC).toInit();
    expectErrno(Errno.EINVAL, () -> datagram.queuePair.toReadyToReceive(datagram.path(reliable)));
    expectErrno(Errno.EINVAL, () -> unreliable.queuePair.toReadyToReceive());
    expectErrno(Errno.EINVAL, () -> reliable.queuePair.toReadyToReceive());
    datagram.toReadyToReceive(datagram);
    unreliable.toReadyToReceive(unreliable);
    reliable.toReadyToReceive(reliable);
    expectErrno(Errno.EINVAL, () -> datagram.queuePair.toReadyToSend(RdmaEnd.PATIENCE));
    expectErrno(Errno.EINVAL, () -> unreliable.queuePair.toReadyToSend(RdmaEnd.PATIENCE));
    expectErrno(Errno.EINVAL, () -> reliable.queuePair.toReadyToSend(7));
    expectErrno(Errno.EINVAL, () -> datagram.queuePair.toReadyToSend(1 << 24));
    assertEquals(QueuePairState.RTR, datagram.queuePair.state());
  }

  @Test
  void shouldReportTheAttributesOfAReliableConnection() throws VerbsException {
    RdmaEnd end = a.end(QueuePairType.RC);
    RdmaEnd peer = b.end(QueuePairType.RC);
    InitAttributes initial =
        new InitAttributes(RdmaSide.PORT, 0, Access.REMOTE_WRITE | Access.REMOTE_READ);
    ReadyToReceiveAttributes receiving =
        new ReadyToReceiveAttributes(
            new PeerAddress(b.gid.gid(), 0, a.gid.index(), 64, 96, 0),
            peer.queuePair.number(),
            0xABCDEF,
            512,
            4,
            17);
    ReadyToSendAttributes sending = new ReadyToSendAttributes(0x123456, 15, 5, 3, 8);
    end.queuePair.toInit(initial);
    assertEquals(Optional.of(initial), end.queuePair.query().initial());
    assertEquals(Optional.empty(), end.queuePair.query().receiving());
    end.queuePair.toReadyToReceive(receiving);
    assertEquals(Optional.of(receiving), end.queuePair.query().receiving());
    assertEquals(Optional.empty(), end.queuePair.query().sending());
    end.queuePair.toReadyToSend(sending);
    QueuePairAttributes inForce = end.queuePair.query();
    assertEquals(QueuePairState.RTS, inForce.state());
    assertEquals(Optional.of(initial), inForce.initial());
    assertEquals(Optional.of(receiving), inForce.receiving());
    assertEquals(Optional.of(sending), inForce.sending());
    assertEquals(0x123456, inForce.sendPsn());
    end.queuePair.toError();
    assertEquals(QueuePairState.ERR, end.queuePair.query().state());
    end.queuePair.toReset();
    assertEquals(QueuePairState.RESET, end.queuePair.query().state());
    assertEquals(Optional.empty(), end.queuePair.query().initial());
  }

  @Test
  void shouldReportTheAttributesOfAnUnreliableConnection() throws VerbsException {
    RdmaEnd end = a.end(QueuePairType.UC);
    RdmaEnd peer = b.end(QueuePairType.UC);
    end.toInit(Access.REMOTE_WRITE).toReadyToReceive(peer).toReadyToSend();
    QueuePairAttributes inForce = end.queuePair.query();
    ReadyToReceiveAttributes receiving = inForce.receiving().orElseThrow();
    assertEquals(Access.REMOTE_WRITE, inForce.initial().orElseThrow().access());
    assertEquals(a.to(b), receiving.peer());
    assertEquals(peer.queuePair.number(), receiving.peerQueuePair());
    assertEquals(RdmaEnd.FIRST_PSN, receiving.receivePsn());
    assertEquals(RdmaEnd.MTU_BYTES, receiving.pathMtuBytes());
    assertEquals(RdmaEnd.FIRST_PSN, inForce.sendPsn());
    assertEquals(Optional.empty(), inForce.sending());
  }

  @Test
  void shouldReportTheAttributesOfADatagramQueuePair() throws VerbsException {
    QueuePair queuePair = a.end(QueuePairType.UD).queuePair;
    InitAttributes initial = new InitAttributes(RdmaSide.PORT, 0, 0, 0x123);
    queuePair.toInit(initial);
    assertEquals(Optional.of(initial), queuePair.query().initial());
    queuePair.toReadyToReceive();
    queuePair.toReadyToSend(0x45);
    QueuePairAttributes inForce = queuePair.query();
    assertEquals(QueuePairState.RTS, inForce.state());
    assertEquals(Optional.of(initial), inForce.initial());
    assertEquals(0x45, inForce.sendPsn());
    assertEquals(Optional.empty(), inForce.receiving());
    assertEquals(Optional.empty(), inForce.sending());
    queuePair.toReset();
    assertEquals(QueuePairState.RESET, queuePair.state());
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseSizesBeyondTheDevice(QueuePairType type) throws VerbsException {
    DeviceAttributes limits = device.query();
    int depth = limits.maxQueuePairDepth() + 1;
    int sges = limits.maxSges() + 1;
    for (QueuePairCapabilities sizes :
        new QueuePairCapabilities[] {
          new QueuePairCapabilities(depth, 1, 1, 1, 0),
          new QueuePairCapabilities(1, depth, 1, 1, 0),
          new QueuePairCapabilities(1, 1, sges, 1, 0),
          new QueuePairCapabilities(1, 1, 1, sges, 0),
          new QueuePairCapabilities(1, 1, 1, 1, 1 << 20)
        }) {
      expectErrno(Errno.EINVAL, () -> a.domain.createQueuePair(type, sizes, a.sends, a.receives));
    }
  }

  @Test
  void shouldSayWhetherWritesAreSeenInOrder() throws VerbsException {
    // Soft-RoCE does not promise it, and other devices may.
    boolean isSoft = device.name().startsWith("rxe");
    assertFalse(isSoft && a.end(QueuePairType.RC).queuePair.seesWritesInOrder());
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseReceivesInReset(QueuePairType type) throws VerbsException {
    RdmaEnd end = a.end(type);
    assertEquals(Errno.EINVAL, end.tryReceive(1, 0, 100));
    assertEquals(0, end.receiveChain.refusedIndex());
    end.toInit();
    assertEquals(0, end.tryReceive(2, 0, 100));
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseSendsBeforeReadyToSendAndQueueNothing(QueuePairType type) throws Exception {
    RdmaEnd end = a.end(type);
    RdmaEnd peer = b.end(type);
    peer.toInit().toReadyToReceive(end);
    AddressHandle way = a.own(a.domain.createAddressHandle(a.to(b), RdmaSide.PORT));
    expectSendRefused(end, way, peer);
    end.toInit();
    expectSendRefused(end, way, peer);
    end.toReadyToReceive(peer);
    expectSendRefused(end, way, peer);
    end.toReadyToSend();
    end.queuePair.toError();
    end.begin(7, SendOpcode.SEND).sge(0, 1);
    name(end, way, peer).post();
    // Had one of the refused sends been queued, it would be flushed first.
    a.expectSent(7, WR_FLUSH_ERR);
  }

  private static void expectSendRefused(RdmaEnd end, AddressHandle way, RdmaEnd peer) {
    end.begin(1, SendOpcode.SEND).sge(0, 1);
    assertEquals(Errno.EINVAL, end.queuePair.postSend(name(end, way, peer).chain));
    assertEquals(0, end.chain.refusedIndex());
  }

  private static RdmaEnd name(RdmaEnd end, AddressHandle way, RdmaEnd peer) {
    return end.queuePair.type() == QueuePairType.UD ? end.to(way, peer) : end;
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseReceivesBeyondItsDepth(QueuePairType type) throws VerbsException {
    RdmaEnd end = a.end(type).toInit();
    int posted = 0;
    int errno = 0;
    while ((errno = end.tryReceive(posted, 0, 64)) == 0) {
      posted++;
    }
    assertEquals(Errno.ENOMEM, errno);
    // A device may hold more than it granted, but not less.
    assertTrue(posted >= RdmaSide.SIZES.receiveDepth(), posted + " receives");
    end.queuePair.toError();
    assertEquals(posted, a.await(a.receives, posted).size());
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseReceivesWithTooManyEntries(QueuePairType type) throws VerbsException {
    RdmaEnd end = a.end(type).toInit();
    end.receiveChain.clear();
    end.receiveChain.begin(1);
    for (int i = 0; i <= end.queuePair.capabilities().receiveSges(); i++) {
      end.receiveChain.sge(a.region.address(), 1, a.region.localKey());
    }
    assertEquals(Errno.EINVAL, end.queuePair.postReceive(end.receiveChain));
    assertEquals(0, end.tryReceive(2, 0, 64));
  }

  @Test
  void shouldRefuseSendsBeyondItsDepthAndAcceptThemAfterwards() throws VerbsException {
    RdmaEnd from = a.end(QueuePairType.RC);
    RdmaEnd to = b.end(QueuePairType.RC);
    to.toInit().toReadyToReceive(from);
    from.toInit().toReadyToReceive(to).toReadyToSend();
    int posted = 0;
    int errno = 0;
    while (errno == 0) {
      // Without a receive at the peer, none completes.
      from.begin(posted, SendOpcode.SEND).sge(0, 8);
      errno = from.queuePair.postSend(from.chain);
      posted += errno == 0 ? 1 : 0;
    }
    assertEquals(Errno.ENOMEM, errno);
    assertEquals(0, from.chain.refusedIndex());
    assertTrue(posted >= RdmaSide.SIZES.sendDepth(), posted + " sends");
    for (int i = 0; i < posted; i++) {
      to.postReceive(i, 0, 8);
      b.expectReceived(i, SUCCESS);
      a.expectSent(i, SUCCESS);
    }
    to.postReceive(5, 0, 8);
    from.post();
    a.expectSent(posted, SUCCESS);
  }

  @Test
  void shouldRefuseDestinationsOnConnections() throws VerbsException {
    AddressHandle way = a.own(a.domain.createAddressHandle(a.to(b), RdmaSide.PORT));
    for (QueuePairType type : new QueuePairType[] {QueuePairType.RC, QueuePairType.UC}) {
      RdmaEnd end = a.end(type);
      end.begin(1, SendOpcode.SEND);
      assertThrows(IllegalStateException.class, () -> end.chain.destination(way, 2, 3));
    }
  }
}
