// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ForkSafety;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What transports can do without, on the fake library. */
class NativeExtrasTest {
  private FakeLibrary fake;
  private FakePair pair;

  @BeforeEach
  void open() throws VerbsException {
    fake = FakeLibrary.get();
    pair = new FakePair(fake.open("fake0"));
  }

  @AfterEach
  void close() throws VerbsException {
    if (pair != null) {
      pair.close();
    }
  }

  @Test
  void shouldReadRowsFromFilesWhereTheLibraryCannotQueryThem() throws VerbsException {
    GidEntry first = new GidEntry(new Gid(0, 1), 1, GidType.ROCE_V2, "eth0", 2);
    GidEntry second = new GidEntry(new Gid(0, 2), 2, GidType.ROCE_V2, "eth0", 2);
    SysfsGidRows rows = new SysfsGidRows((device, port) -> List.of(second, first));
    assertEquals(List.of(first, second), rows.of(pair.device, 1));
  }

  @Test
  void shouldSayThatFilesCannotBeRead() {
    SysfsGidRows rows =
        new SysfsGidRows(
            (device, port) -> {
              throw new IOException("no such file " + device + port);
            });
    VerbsException failure = assertThrows(VerbsException.class, () -> rows.of(pair.device, 1));
    assertEquals(Errno.EIO, failure.errno());
    assertTrue(failure.getMessage().contains("no such file fake01"), failure.getMessage());
  }

  @Test
  void shouldResizeACompletionQueue() throws VerbsException {
    pair.sends.resize(100);
    assertEquals(103, pair.sends.depth());
    fake.control.fake_fail("ibv_resize_cq", Errno.EINVAL, 1);
    assertThrows(VerbsException.class, () -> pair.sends.resize(200));
    assertEquals(103, pair.sends.depth());
  }

  @Test
  void shouldRegisterADmaBufByItsOffset() throws VerbsException {
    try (MemoryRegion region =
        pair.domain.registerDmaBuf(0, 4096, 8192, 0x10000, Access.LOCAL_WRITE)) {
      assertEquals(0x10000, region.address());
      assertEquals(8192, region.lengthBytes());
    }
    fake.control.fake_fail("ibv_reg_dmabuf_mr", Errno.EOPNOTSUPP, 1);
    VerbsException failure =
        assertThrows(
            VerbsException.class, () -> pair.domain.registerDmaBuf(0, 0, 4096, 0x10000, 0));
    assertEquals(Errno.EOPNOTSUPP, failure.errno());
    assertTrue(
        failure.getMessage().contains("copy through registered memory"), failure.getMessage());
  }

  @Test
  void shouldQueryWhetherForkingIsSafe() {
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.of(fake.file().toString()));
    assertEquals(ForkSafety.UNNEEDED, provider.forkSafety());
    assertEquals(
        ForkSafety.UNKNOWN,
        new IbverbsProvider(LibibverbsProbe.of("libnothing.so.1")).forkSafety());
  }

  @Test
  void shouldQueryWhetherWritesAreSeenInOrder() throws VerbsException {
    assertTrue(pair.queuePair.seesWritesInOrder());
  }

  @Test
  void shouldKnowUnreliableStates() throws VerbsException {
    try (QueuePair datagrams =
        pair.domain.createQueuePair(QueuePairType.UD, FakePair.SIZES, pair.sends, pair.receives)) {
      datagrams.toInit(new InitAttributes(1, 0, 0));
      assertThrows(
          VerbsException.class,
          () ->
              datagrams.toReadyToReceive(
                  new ReadyToReceiveAttributes(FakePair.PEER, 1, 0, 1024, 1, 12)));
      datagrams.toReadyToReceive();
      datagrams.toReadyToSend(7);
      assertEquals(QueuePairState.RTS, datagrams.state());
      try (AddressHandle way = pair.domain.createAddressHandle(FakePair.PEER, 1)) {
        SendChain chain = datagrams.newSendChain(2);
        chain.begin(1, SendOpcode.SEND, SendFlags.SIGNALED);
        chain.destination(way, 5, 6);
        assertEquals(0, datagrams.postSend(chain));
        expectRefused(
            datagrams,
            request -> {
              request.destination(way, 5, 6);
              request.remote(0xDEAD, 7);
            });
        expectRefused(
            datagrams,
            request -> {
              request.destination(way, 5, 6);
              request.destination(null, 5, 6);
            });
      }
    }
  }

  /** A request whose address handle is not what the library may read is not shown to it. */
  private void expectRefused(QueuePair datagrams, Consumer<SendChain> request) {
    int posted = fake.control.fake_posts(0);
    SendChain chain = datagrams.newSendChain(2);
    chain.begin(1, SendOpcode.SEND, SendFlags.SIGNALED);
    request.accept(chain);
    assertEquals(Errno.EINVAL, datagrams.postSend(chain));
    assertEquals(0, chain.refusedIndex());
    assertEquals(posted, fake.control.fake_posts(0));
  }
}
