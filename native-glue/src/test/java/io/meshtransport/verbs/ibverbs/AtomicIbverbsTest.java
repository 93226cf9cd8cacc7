// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.LOC_PROT_ERR;
import static io.meshtransport.verbs.CompletionStatus.REM_ACCESS_ERR;
import static io.meshtransport.verbs.CompletionStatus.REM_INV_REQ_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Atomics of a real device, and each way to be refused one. */
@NeedsRdmaDevice
class AtomicIbverbsTest {
  private static final int RESULT = 8;
  private static final int TARGET = 64;
  private static final long FIRST = 1L << 40;

  private VerbsDevice device;
  private RdmaSide a;
  private RdmaSide b;
  private RdmaEnd from;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    a = new RdmaSide(device);
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    b.close();
    device.close();
  }

  private void connect(int memoryAccess, int queuePairAccess) throws VerbsException {
    b = new RdmaSide(device, 1, memoryAccess);
    from = a.end(QueuePairType.RC).toInit();
    RdmaEnd.connectFromInit(from, b.end(QueuePairType.RC).toInit(queuePairAccess));
    numbers(b).putLong(TARGET, FIRST);
  }

  private void connect() throws VerbsException {
    connect(RdmaSide.ALL_ACCESS, RdmaSide.ALL_ACCESS);
  }

  private static ByteBuffer numbers(RdmaSide side) {
    return side.memory.duplicate().order(ByteOrder.nativeOrder());
  }

  private RdmaEnd add(long id) {
    return from.begin(id, SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(5, 0).sge(RESULT, 8);
  }

  private void expectUntouched() {
    assertEquals(FIRST, numbers(b).getLong(TARGET));
  }

  @Test
  void shouldAddAgainAndAgain() throws VerbsException {
    connect();
    for (int i = 0; i < 10; i++) {
      add(i).remote(b, TARGET).post();
      a.expectSent(i, SUCCESS);
      assertEquals(FIRST + 5L * i, numbers(a).getLong(RESULT));
    }
    assertEquals(FIRST + 50, numbers(b).getLong(TARGET));
  }

  @Test
  void shouldSwapOnlyWhatIsEqual() throws VerbsException {
    connect();
    from.begin(1, SendOpcode.ATOMIC_COMPARE_AND_SWAP).atomic(FIRST, 7).sge(RESULT, 8);
    from.remote(b, TARGET).post();
    a.expectSent(1, SUCCESS);
    assertEquals(FIRST, numbers(a).getLong(RESULT));
    assertEquals(7, numbers(b).getLong(TARGET));
    from.begin(2, SendOpcode.ATOMIC_COMPARE_AND_SWAP).atomic(FIRST, 8).sge(RESULT, 8);
    from.remote(b, TARGET).post();
    a.expectSent(2, SUCCESS);
    assertEquals(7, numbers(a).getLong(RESULT));
    assertEquals(7, numbers(b).getLong(TARGET));
  }

  @Test
  void shouldRefuseABadLocalKey() throws VerbsException {
    connect();
    from.begin(1, SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(5, 0).remote(b, TARGET);
    from.chain.sge(a.region.address(), 8, a.region.localKey() + 1);
    from.post();
    // What the peer did before the answer had no place to go is the device's affair.
    a.expectSent(1, LOC_PROT_ERR);
    assertEquals(QueuePairState.ERR, from.queuePair.state());
  }

  @Test
  void shouldRefuseABadRemoteKey() throws VerbsException {
    connect();
    add(1).chain.remote(b.region.address() + TARGET, b.region.remoteKey() + 1);
    from.post();
    a.expectSent(1, REM_ACCESS_ERR);
    expectUntouched();
  }

  @Test
  void shouldRefuseMemoryWithoutTheRight() throws VerbsException {
    connect(RdmaSide.ALL_ACCESS & ~Access.REMOTE_ATOMIC, RdmaSide.ALL_ACCESS);
    add(1).remote(b, TARGET).post();
    a.expectSent(1, REM_ACCESS_ERR);
    expectUntouched();
  }

  @Test
  void shouldRefuseAQueuePairWithoutTheRight() throws VerbsException {
    connect(RdmaSide.ALL_ACCESS, Access.LOCAL_WRITE);
    add(1).remote(b, TARGET).post();
    CompletionStatus status = a.sent().status();
    // Soft-RoCE says the second; InfiniBand 1.4 table 58 has the first.
    assertTrue(Set.of(REM_ACCESS_ERR, REM_INV_REQ_ERR).contains(status), status + "");
    expectUntouched();
  }

  @Test
  void shouldRefuseAnUnalignedAddress() throws VerbsException {
    connect();
    add(1).remote(b, TARGET + 1);
    int errno = from.queuePair.postSend(from.chain);
    if (errno == 0) {
      a.expectSent(1, REM_INV_REQ_ERR);
    } else {
      assertEquals(Errno.EINVAL, errno);
    }
    expectUntouched();
  }
}
