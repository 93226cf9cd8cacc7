// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Operations that soft devices leave out are refused with a reason, and hints they cannot follow
 * are ignored.
 */
class SoftOfferTest {
  private final SimulatedFabric fabric = new SimulatedFabric(42, SimulatedCable.usual());
  private ContractPair pair;
  private Endpoint end;

  @BeforeEach
  void connect() throws VerbsException {
    pair = new ContractPair(fabric.open("left"), fabric.open("right"), Traits.ofSoft());
    pair.connect();
    end = pair.a;
  }

  @AfterEach
  void close() throws VerbsException {
    pair.close();
  }

  private static void refused(String inWords, Executable call) {
    VerbsException refusal = assertThrows(VerbsException.class, call);
    assertEquals(Errno.EOPNOTSUPP, refusal.errno());
    assertTrue(refusal.getMessage().contains(inWords), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("MESH_PROVIDER=ibverbs"), refusal.getMessage());
  }

  @Test
  void shouldRefuseDatagramsAndUnreliableConnections() throws VerbsException {
    for (QueuePairType type : new QueuePairType[] {QueuePairType.UC, QueuePairType.UD}) {
      refused(
          "type " + type,
          () -> end.domain.createQueuePair(type, Setup.usual().sizes(), end.sends, end.receives));
    }
    PeerAddress peer = new PeerAddress(pair.b.gid().gid(), 0, 0, 64, 0, 0);
    refused("address handle", () -> end.domain.createAddressHandle(peer, 1));
  }

  @Test
  void shouldRefuseSharedReceivesResizesQueriesAndDmaBufs() {
    refused("shared receive queue", () -> end.domain.createSharedReceiveQueue(8, 1));
    refused("resizing a completion queue", () -> end.sends.resize(8));
    refused("attributes", () -> end.queuePair.query());
    refused("dma-buf", () -> end.domain.registerDmaBuf(0, 0, 4096, 0, 0));
    refused("partition key", () -> end.device.partitionKey(1, 0));
  }

  @Test
  void shouldRefuseTransitionsAndDestinationsOfOtherTypes() {
    for (Executable call :
        new Executable[] {
          () -> end.queuePair.toReadyToReceive(), () -> end.queuePair.toReadyToSend(7)
        }) {
      VerbsException refusal = assertThrows(VerbsException.class, call);
      assertEquals(Errno.EINVAL, refusal.errno());
      assertTrue(refusal.getMessage().contains("this queue pair is RC"), refusal.getMessage());
    }
    assertThrows(IllegalStateException.class, () -> end.chain.destination(null, 2, 3));
  }

  @Test
  void shouldIgnoreHintsItCannotFollow() throws VerbsException {
    end.domain.register(end.memory, Access.LOCAL_WRITE | Access.RELAXED_ORDERING).close();
    assertThrows(VerbsException.class, () -> end.domain.register(end.memory, 1 << 19));
  }
}
