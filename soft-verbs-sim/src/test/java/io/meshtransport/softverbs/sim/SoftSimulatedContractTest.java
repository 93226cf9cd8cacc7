// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsContractTest;
import io.meshtransport.verbs.VerbsDevice;

/**
 * The contract on soft devices in a simulated fabric, in virtual time.
 *
 * <p>Also tests {@link Network}, {@link QueuePairTable}, {@link RcEngine}, {@link Requester},
 * {@link Responder}, {@link ResponseQueue}, {@link SendQueue}, {@link SendRequest}, {@link
 * SgeList}, {@link SimulatedStream}, {@link SoftCompletionQueue}, {@link SoftCompletions}, {@link
 * SoftQueuePair}, {@link SoftReceiveChain} and {@link SoftSendChain}.
 *
 * <p>Also tests {@link io.meshtransport.softverbs.rc.SoftCompletionEvents} and {@link
 * io.meshtransport.softverbs.rc.EventWaiter}.
 */
class SoftSimulatedContractTest extends VerbsContractTest {
  private final SimulatedFabric fabric = new SimulatedFabric(42, SimulatedCable.usual());

  @Override
  protected VerbsDevice openLeft() {
    return fabric.open("left");
  }

  @Override
  protected VerbsDevice openRight() {
    return fabric.open("right");
  }

  @Override
  protected Traits traits() {
    return Traits.ofSoft();
  }
}
