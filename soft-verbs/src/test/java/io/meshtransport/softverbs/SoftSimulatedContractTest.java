package io.meshtransport.softverbs;

import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsContractTest;
import io.meshtransport.verbs.VerbsDevice;
import java.util.Set;

/** The contract on soft devices in a simulated fabric, in virtual time. */
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
    return new Traits(Set.of(CompletionStatus.REM_INV_REQ_ERR), false, true);
  }
}
