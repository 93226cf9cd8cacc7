// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a queue pair hands to the library, and what it keeps from it.
 *
 * <p>Also tests {@link AddressVector}, {@link QueuePairCreation} and {@link QueuePairStateMachine}.
 */
class NativeQueuePairTest {
  private FakeLibrary fake;

  @BeforeEach
  void compileFake() {
    fake = FakeLibrary.get();
  }

  private FakePair pair() throws VerbsException {
    return new FakePair(fake.open("fake0"));
  }

  private static WorkCompletions poll(CompletionQueue queue, int expected) {
    WorkCompletions batch = queue.newCompletions(8);
    assertEquals(expected, queue.poll(batch));
    return batch;
  }

  @Test
  void shouldReportWhatWasGranted() throws VerbsException {
    try (FakePair pair = pair()) {
      assertEquals(new QueuePairCapabilities(8, 8, 3, 2, 24), pair.queuePair.capabilities());
      assertTrue(pair.queuePair.number() > 0xFFFF);
      assertEquals(67, pair.sends.depth());
    }
  }

  @Test
  void shouldDestroyAQueuePairOfImpossibleSizes() throws VerbsException {
    try (FakePair pair = pair()) {
      int living = fake.control.fake_living();
      fake.control.fake_corrupt("max_send_wr", 0);
      VerbsException refusal =
          assertThrows(
              VerbsException.class,
              () -> pair.domain.createQueuePair(FakePair.SIZES, pair.sends, pair.receives));
      assertEquals(Errno.EIO, refusal.errno());
      assertTrue(refusal.getMessage().contains("sendDepth=0"), refusal.getMessage());
      assertEquals(living, fake.control.fake_living());
    }
  }

  @Test
  void shouldReportTheFirstFailureOfADeviceThatAnswersNothingMore() throws VerbsException {
    try (FakePair pair = pair()) {
      pair.queuePair.toInit(new InitAttributes(1, 0, 0));
      fake.control.fake_fail("ibv_modify_qp", Errno.ENODEV, 1);
      fake.control.fake_corrupt("gid_count", -Errno.EIO);
      VerbsException failure =
          assertThrows(
              VerbsException.class,
              () ->
                  pair.queuePair.toReadyToReceive(
                      new ReadyToReceiveAttributes(FakePair.PEER, 1, 0, 1024, 1, 12)));
      assertEquals(Errno.ENODEV, failure.errno());
      assertTrue(failure.getMessage().contains("ibv_modify_qp to RTR"), failure.getMessage());
      assertEquals(1, failure.getSuppressed().length);
      assertEquals(Errno.EIO, ((VerbsException) failure.getSuppressed()[0]).errno());
    }
  }

  @Test
  void shouldReportCompletions() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      assertEquals(0, pair.send(0x1122334455667788L));
      WorkCompletions done = poll(pair.sends, 1);
      assertEquals(8, done.capacity());
      assertEquals(0x1122334455667788L, done.id(0));
      assertEquals(CompletionStatus.SUCCESS, done.status(0));
      assertEquals(CompletionOpcode.SEND, done.opcode(0));
      assertEquals(100, done.lengthBytes(0));
      assertEquals(pair.queuePair.number(), done.queuePairNumber(0));
      assertFalse(done.hasImmediate(0));
      assertEquals(0, done.vendorError(0));
    }
  }

  @Test
  void shouldKeepSendsFromALibraryThatWouldKeepThem() throws VerbsException {
    try (FakePair pair = pair()) {
      assertEquals(Errno.EINVAL, pair.send(1));
      pair.queuePair.toInit(new InitAttributes(1, 0, 0));
      assertEquals(Errno.EINVAL, pair.send(2));
      pair.queuePair.toReadyToReceive(
          new ReadyToReceiveAttributes(FakePair.PEER, 1, 0, 1024, 1, 12));
      assertEquals(Errno.EINVAL, pair.send(3));
      assertEquals(0, pair.chain.refusedIndex());
      assertEquals(0, fake.control.fake_kept_sends());
    }
  }

  @Test
  void shouldSayWhichRequestWasRefused() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      begin(pair, 5);
      fake.control.fake_refuse(3, Errno.ENOMEM);
      assertEquals(Errno.ENOMEM, pair.queuePair.postSend(pair.chain));
      assertEquals(3, pair.chain.refusedIndex());
      assertEquals(3, fake.control.fake_posts(0));
    }
  }

  private static void begin(FakePair pair, int count) {
    pair.chain.clear();
    for (int i = 0; i < count; i++) {
      pair.chain.begin(i, SendOpcode.SEND, SendFlags.SIGNALED);
    }
  }

  @Test
  void shouldPostNothingBehindSendsInDoubt() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      fake.control.fake_refuse(-1, Errno.EIO);
      assertEquals(Errno.EIO, pair.send(1));
      assertEquals(0, pair.chain.refusedIndex());
      fake.control.fake_refuse(-2, 0);
      assertEquals(Errno.EINVAL, pair.send(2));
      assertEquals(QueuePairState.RTS, pair.queuePair.state());
      assertEquals(Errno.EINVAL, pair.send(3));
      pair.queuePair.toError();
      assertEquals(0, pair.send(4));
      pair.queuePair.toReset();
      pair.toReadyToSend();
      assertEquals(0, pair.send(5));
    }
  }

  @Test
  void shouldPostWhatIsBeforeARequestWithTooManyEntries() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      begin(pair, 2);
      pair.chain.begin(2, SendOpcode.SEND, SendFlags.SIGNALED);
      for (int i = 0; i <= pair.queuePair.capabilities().sendSges(); i++) {
        pair.chain.sge(0, 1, 0);
      }
      pair.chain.begin(3, SendOpcode.SEND, SendFlags.SIGNALED);
      // The library would answer ENOMEM, which means to try again.
      assertEquals(Errno.EINVAL, pair.queuePair.postSend(pair.chain));
      assertEquals(2, pair.chain.refusedIndex());
      assertEquals(2, fake.control.fake_posts(0));
    }
  }

  @Test
  void shouldRefuseTooMuchInlinePayload() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      int most = pair.queuePair.capabilities().inlineBytes();
      pair.chain.clear();
      pair.chain.begin(1, SendOpcode.SEND, SendFlags.INLINE);
      pair.chain.sge(0, most - 1, 0);
      pair.chain.sge(0, 2, 0);
      assertEquals(Errno.EINVAL, pair.queuePair.postSend(pair.chain));
      assertEquals(0, pair.chain.refusedIndex());
      pair.chain.clear();
      pair.chain.begin(1, SendOpcode.SEND, SendFlags.INLINE);
      pair.chain.sge(0, most, 0);
      assertEquals(0, pair.queuePair.postSend(pair.chain));
    }
  }

  @Test
  void shouldRefuseReceivesThatDoNotFit() throws VerbsException {
    try (FakePair pair = pair()) {
      assertEquals(Errno.EINVAL, pair.receive(1));
      pair.queuePair.toInit(new InitAttributes(1, 0, 0));
      for (int i = 0; i < 8; i++) {
        assertEquals(0, pair.receive(i));
      }
      assertEquals(Errno.ENOMEM, pair.receive(8));
      assertEquals(0, pair.receiveChain.refusedIndex());
      pair.receiveChain.clear();
      pair.receiveChain.begin(9);
      for (int i = 0; i < 3; i++) {
        pair.receiveChain.sge(0, 1, 0);
      }
      assertEquals(Errno.EINVAL, pair.queuePair.postReceive(pair.receiveChain));
    }
  }

  @Test
  void shouldFlushReceivesPostedInError() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      pair.queuePair.toError();
      assertEquals(0, pair.receive(7));
      WorkCompletions done = poll(pair.receives, 1);
      assertEquals(7, done.id(0));
      assertEquals(CompletionStatus.WR_FLUSH_ERR, done.status(0));
      assertEquals(77, done.vendorError(0));
      assertNull(done.opcode(0), "a failed completion has none");
    }
  }

  @Test
  void shouldSeeThatItFailedByItself() throws VerbsException {
    try (FakePair pair = pair().toReadyToSend()) {
      fake.control.fake_break(pair.queuePair.pointer());
      assertEquals(0, pair.send(1));
      assertEquals(CompletionStatus.WR_FLUSH_ERR, poll(pair.sends, 1).status(0));
      assertEquals(QueuePairState.ERR, pair.queuePair.state());
      VerbsException refusal =
          assertThrows(
              VerbsException.class, () -> pair.queuePair.toInit(new InitAttributes(1, 0, 0)));
      assertTrue(refusal.getMessage().contains("from ERR to INIT"), refusal.getMessage());
    }
  }

  @Test
  void shouldGoFromResetToErrorByInit() throws VerbsException {
    try (FakePair pair = pair()) {
      pair.queuePair.toError();
      assertEquals(QueuePairState.ERR, pair.queuePair.state());
    }
  }

  @Test
  void shouldRefuseAPortThatIsNotThere() throws VerbsException {
    try (FakePair pair = pair()) {
      VerbsException refusal =
          assertThrows(
              VerbsException.class, () -> pair.queuePair.toInit(new InitAttributes(3, 0, 0)));
      assertEquals(Errno.EINVAL, refusal.errno());
      assertTrue(refusal.getMessage().contains("no port 3"), refusal.getMessage());
    }
  }

  @Test
  void shouldSayWhichRowsThereAreWhenOneIsEmpty() throws VerbsException {
    try (FakePair pair = pair()) {
      pair.queuePair.toInit(new InitAttributes(1, 0, 0));
      PeerAddress peer = new PeerAddress(FakePair.PEER.gid(), 0, 200, 64, 0, 0);
      fake.control.fake_fail("ibv_modify_qp", 61, 1);
      VerbsException refusal =
          assertThrows(
              VerbsException.class,
              () ->
                  pair.queuePair.toReadyToReceive(
                      new ReadyToReceiveAttributes(peer, 1, 0, 1024, 1, 12)));
      assertEquals(Errno.EINVAL, refusal.errno());
      assertTrue(
          refusal.getMessage().contains("row 200")
              && refusal.getMessage().contains("6 10.0.1.2, 7 10.0.1.3"),
          refusal.getMessage());
      assertTrue(refusal.getCause().getMessage().contains("ENODATA"));
      assertEquals(QueuePairState.INIT, pair.queuePair.state());
    }
  }

  @Test
  void shouldNotBlameARowThatIsThere() throws VerbsException {
    try (FakePair pair = pair()) {
      pair.queuePair.toInit(new InitAttributes(1, 0, 0));
      fake.control.fake_fail("ibv_modify_qp", 110, 1);
      VerbsException refusal =
          assertThrows(
              VerbsException.class,
              () ->
                  pair.queuePair.toReadyToReceive(
                      new ReadyToReceiveAttributes(FakePair.PEER, 1, 0, 1024, 1, 12)));
      assertEquals(110, refusal.errno());
      assertTrue(refusal.getMessage().contains("ip neigh"), refusal.getMessage());
    }
  }

  private ByteBuffer lastModify(FakePair pair, int expectedMask) {
    byte[] attributes = new byte[Layout.QpAttr.BYTES];
    int[] mask = new int[1];
    fake.control.fake_last_modify(pair.queuePair.pointer(), attributes, mask);
    assertEquals(expectedMask, mask[0]);
    return ByteBuffer.wrap(attributes).order(ByteOrder.nativeOrder());
  }

  /** Masks from the table of man ibv_modify_qp, offsets from struct ibv_qp_attr. */
  @Test
  void shouldWriteTheAttributesOfEachTransition() throws VerbsException {
    try (FakePair pair = pair()) {
      pair.queuePair.toInit(new InitAttributes(2, 0x1234, 7));
      ByteBuffer init = lastModify(pair, 0x39);
      assertEquals(1, init.getInt(0));
      assertEquals(7, init.getInt(32));
      assertEquals(0x1234, init.getShort(120));
      assertEquals(2, init.get(129));
      pair.queuePair.toReadyToReceive(
          new ReadyToReceiveAttributes(FakePair.PEER, 0xABCDEF, 0x123456, 2048, 3, 12));
      ByteBuffer receive = lastModify(pair, 0x129181);
      byte[] gid = new byte[16];
      receive.get(56, gid);
      assertArrayEquals(FakePair.PEER.gid().toBytes(), gid);
      assertEquals(4, receive.getInt(8));
      assertEquals(0x123456, receive.getInt(20));
      assertEquals(0xABCDEF, receive.getInt(28));
      assertEquals(6, receive.get(76));
      assertEquals(64, receive.get(77));
      assertEquals(0x20, receive.get(78));
      assertEquals(3, receive.get(82));
      assertEquals(1, receive.get(85));
      assertEquals(2, receive.get(86));
      assertEquals(3, receive.get(127));
      assertEquals(12, receive.get(128));
      pair.queuePair.toReadyToSend(new ReadyToSendAttributes(0x654321, 14, 6, 5, 4));
      ByteBuffer send = lastModify(pair, 0x12E01);
      assertEquals(0x654321, send.getInt(24));
      assertEquals(4, send.get(126));
      assertEquals(14, send.get(130));
      assertEquals(6, send.get(131));
      assertEquals(5, send.get(132));
      pair.queuePair.toReadyToSend(new ReadyToSendAttributes(0, 14, 6, 5, 4));
      assertEquals(3, lastModify(pair, 1).getInt(0));
      pair.queuePair.toError();
      assertEquals(6, lastModify(pair, 1).getInt(0));
    }
  }
}
