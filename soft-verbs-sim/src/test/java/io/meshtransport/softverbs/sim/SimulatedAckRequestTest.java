// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.Traits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which requests are acknowledged on the soft wire: those whose user wants their completion. */
class SimulatedAckRequestTest {
  private static final int WRITES = 10;

  /** Much longer than all frames need, and much shorter than a requester's timeout. */
  private static final long WHILE_NS = 1_000_000;

  private static final long LONG_NS = 60_000_000_000L;

  private SimulatedFabric fabric;
  private ContractPair pair;

  @BeforeEach
  void open() throws Exception {
    fabric = new SimulatedFabric(1, SimulatedCable.usual());
    pair = new ContractPair(fabric.open("left"), fabric.open("right"), Traits.ofSoft());
    pair.connect(Setup.usual());
    pair.a.fill(0, 1000, 7);
    pair.a.postWrite(1, 0, 1000, pair.b, 0);
    pair.expectSent(pair.a, 1, SUCCESS);
    happenings();
  }

  @AfterEach
  void close() throws Exception {
    pair.close();
  }

  @Test
  void shouldAcknowledgeOnlyOnRequest() throws Exception {
    write(SendFlags.SIGNALED);
    long requested = happenings();
    for (int i = 0; i < WRITES; i++) {
      pair.expectSent(pair.a, 2, SUCCESS);
    }
    write(0);
    long unrequested = happenings();
    // Each answer comes, and its sender hears that it has been taken off the wire.
    assertEquals(requested, unrequested + 2 * WRITES);
    pair.b.expect(5000, 1000, 7);
  }

  @Test
  void shouldComeToRestWithoutAckRequests() throws Exception {
    write(0);
    fabric.runUntil(fabric.nowNs() + LONG_NS);
    assertFalse(fabric.step(), "something is still planned");
    assertEquals(QueuePairState.RTS, pair.a.queuePair.state());
    pair.a.postWrite(3, 0, 1000, pair.b, 5000);
    pair.expectSent(pair.a, 3, SUCCESS);
  }

  private void write(int flags) {
    for (int i = 0; i < WRITES; i++) {
      pair.a.begin(2, SendOpcode.RDMA_WRITE, flags);
      pair.a.sge(0, 1000).remote(pair.b, 5000).post();
    }
  }

  /** How much happens in a while. */
  private long happenings() {
    long untilNs = fabric.nowNs() + WHILE_NS;
    long count = 0;
    while (fabric.stepUntil(untilNs)) {
      count++;
    }
    return count;
  }
}
