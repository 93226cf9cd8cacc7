// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendOpcode;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What the types of queue pairs are numbered, may post, and need for each transition.
 *
 * <p>Also tests {@link AddressHandlesInUse} and {@link NativeAddressHandle}.
 */
class QueuePairTypeTest {
  private static final ReadyToReceiveAttributes PATH =
      new ReadyToReceiveAttributes(
          new PeerAddress(new Gid(0, 1), 0, 3, 64, 32, 1), 0xABCDEF, 0x123456, 2048, 4, 12);
  private static final ReadyToSendAttributes PATIENCE =
      new ReadyToSendAttributes(0x654321, 14, 6, 5, 8);

  @Test
  void shouldBeNumberedAsInVerbsH() {
    assertEquals(2, QueuePairType.RC.code());
    assertEquals(3, QueuePairType.UC.code());
    assertEquals(4, QueuePairType.UD.code());
  }

  /** The table in man ibv_post_send. */
  @Test
  void shouldAllowWhatTheManPageMarks() {
    Set<SendOpcode> messages = Set.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM);
    Set<SendOpcode> writes = Set.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM);
    for (SendOpcode opcode : SendOpcode.values()) {
      boolean isMessage = messages.contains(opcode);
      assertEquals(isMessage, QueuePairType.UD.allows(opcode), opcode + " on UD");
      assertEquals(
          isMessage || writes.contains(opcode), QueuePairType.UC.allows(opcode), opcode + " on UC");
      assertEquals(true, QueuePairType.RC.allows(opcode), opcode + " on RC");
    }
  }

  private static int toInit(QueuePairType type) {
    return new Transition(QueuePairState.INIT).pkeyIndex(0).port(1).rights(type, 7, 9).mask();
  }

  /** The tables in man ibv_modify_qp, with the bits of enum ibv_qp_attr_mask. */
  @Test
  void shouldSetWhatEachTransitionNeeds() {
    int state = 1;
    int pkeyIndexAndPort = 1 << 4 | 1 << 5;
    int access = 1 << 3;
    int queueKey = 1 << 6;
    assertEquals(state | pkeyIndexAndPort | access, toInit(QueuePairType.RC));
    assertEquals(state | pkeyIndexAndPort | access, toInit(QueuePairType.UC));
    assertEquals(state | pkeyIndexAndPort | queueKey, toInit(QueuePairType.UD));
    int path = 1 << 7 | 1 << 8 | 1 << 12 | 1 << 20;
    Transition toReadyToReceive = new Transition(QueuePairState.RTR).path(PATH, 1);
    assertEquals(state | path, toReadyToReceive.mask());
    assertEquals(state | path | 1 << 15 | 1 << 17, toReadyToReceive.service(PATH).mask());
    int sendPsn = 1 << 16;
    Transition toReadyToSend = new Transition(QueuePairState.RTS).sendPsn(7);
    assertEquals(state | sendPsn, toReadyToSend.mask());
    assertEquals(
        state | sendPsn | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13,
        toReadyToSend.patience(PATIENCE).mask());
  }
}
