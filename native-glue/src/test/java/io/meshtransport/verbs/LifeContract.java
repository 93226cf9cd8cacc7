// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Endpoint.Setup;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Making and closing things, in the right order and in wrong ones. */
interface LifeContract {
  ContractPair pair();

  private static void expectErrno(int errno, Executable call) {
    assertEquals(errno, assertThrows(VerbsException.class, call).errno());
  }

  @Test
  default void shouldReportTheLimitsOfTheDevice() throws Exception {
    DeviceAttributes device = pair().left.query();
    PortAttributes port = pair().left.queryPort(1);
    assertTrue(device.maxQueuePairDepth() >= 64, () -> device + "");
    assertTrue(device.maxCompletionQueueDepth() >= 256, () -> device + "");
    assertTrue(port.maxMessageBytes() >= 1 << 20, () -> port + "");
    assertTrue(port.activeMtuBytes() <= port.maxMtuBytes(), () -> port + "");
    assertTrue(!pair().left.gidTable(1).isEmpty());
    expectErrno(Errno.EINVAL, () -> pair().left.queryPort(9));
    expectErrno(Errno.EINVAL, () -> pair().left.gidTable(0));
  }

  @Test
  default void shouldNotCloseParentsBeforeTheirChildren() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    Endpoint a = pair().a;
    expectErrno(Errno.EBUSY, a.device::close);
    expectErrno(Errno.EBUSY, a.domain::close);
    expectErrno(Errno.EBUSY, a.sends::close);
    expectErrno(Errno.EBUSY, a.receives::close);
    expectErrno(Errno.EBUSY, a.channel::close);
    a.queuePair.close();
    expectErrno(Errno.EBUSY, a.domain::close);
    a.region.close();
    a.domain.close();
  }

  @Test
  default void shouldCloseTwiceWithoutHarm() throws Exception {
    pair().connect();
    for (int i = 0; i < 2; i++) {
      pair().a.queuePair.close();
      pair().a.region.close();
      pair().a.receives.close();
      pair().a.sends.close();
      pair().a.channel.close();
      pair().a.domain.close();
      pair().left.close();
    }
  }

  @Test
  default void shouldRefuseUseAfterClose() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    a.close();
    a.begin(1, SendOpcode.SEND);
    assertEquals(Errno.EBADF, a.queuePair.postSend(a.chain));
    assertEquals(Errno.EBADF, a.tryReceive(1, 0, 8));
    assertEquals(-Errno.EBADF, a.sends.poll(a.sends.newCompletions(1)));
    assertEquals(Errno.EBADF, a.sends.requestNotify(false));
    expectErrno(Errno.EBADF, () -> a.channel.await(0));
    expectErrno(Errno.EBADF, a.queuePair::toError);
    expectErrno(Errno.EBADF, a.queuePair::state);
    expectErrno(Errno.EBADF, () -> a.domain.register(ByteBuffer.allocateDirect(1), 0));
    pair().left.close();
    expectErrno(Errno.EBADF, () -> pair().left.queryPort(1));
    expectErrno(Errno.EBADF, () -> pair().left.createCompletionQueue(1));
    expectErrno(Errno.EBADF, pair().left::allocateProtectionDomain);
    expectErrno(Errno.EBADF, pair().left::pollAsyncEvent);
  }

  @Test
  default void shouldCloseWithRequestsOutstanding() throws Exception {
    pair().connect(Setup.usual().withRnr(7, 31));
    for (int i = 0; i < 10; i++) {
      pair().a.postSend(i, 0, 1000);
      pair().a.postReceive(i, 0, 1000);
    }
    pair().a.close();
  }

  @Test
  default void shouldRefuseMemoryThatCannotBeRegistered() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    ProtectionDomain domain = pair().a.domain;
    ByteBuffer good = ByteBuffer.allocateDirect(8);
    expectErrno(Errno.EINVAL, () -> domain.register(ByteBuffer.allocate(8), 0));
    expectErrno(Errno.EINVAL, () -> domain.register(ByteBuffer.allocateDirect(0), 0));
    expectErrno(Errno.EINVAL, () -> domain.register(List.of(), 0));
    expectErrno(Errno.EINVAL, () -> domain.register(good, Access.REMOTE_WRITE));
    expectErrno(Errno.EINVAL, () -> domain.register(good, Access.REMOTE_ATOMIC));
  }

  @Test
  default void shouldRegisterAllOfABufferWhateverItsPosition() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    ByteBuffer buffer = ByteBuffer.allocateDirect(100);
    buffer.position(40).limit(50);
    try (MemoryRegion region = pair().a.domain.register(buffer, 0)) {
      assertEquals(100, region.lengthBytes());
      assertEquals(40, buffer.position());
    }
  }

  @Test
  default void shouldRefuseQueuePairsBeyondTheLimits() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    int tooDeep = pair().left.query().maxQueuePairDepth() + 1;
    QueuePairCapabilities sizes = new QueuePairCapabilities(tooDeep, 1, 1, 1, 0);
    expectErrno(
        Errno.EINVAL,
        () -> pair().a.domain.createQueuePair(sizes, pair().a.sends, pair().a.receives));
  }

  @Test
  default void shouldRefuseAFullChain() throws Exception {
    pair().make(Setup.usual(), Setup.usual());
    SendChain chain = pair().a.queuePair.newSendChain(1);
    assertThrows(IllegalStateException.class, () -> chain.sge(0, 0, 0));
    chain.begin(1, SendOpcode.SEND, 0);
    assertThrows(IllegalStateException.class, () -> chain.begin(2, SendOpcode.SEND, 0));
    assertEquals(1, chain.size());
  }

  @Test
  default void shouldRefuseMoreEntriesThanTheQueuePairAccepts() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    a.begin(1, SendOpcode.SEND);
    for (int i = 0; i <= a.queuePair.capabilities().sendSges(); i++) {
      a.sge(0, 1);
    }
    assertEquals(Errno.EINVAL, a.queuePair.postSend(a.chain));
  }
}
