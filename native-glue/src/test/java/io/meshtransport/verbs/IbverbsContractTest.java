package io.meshtransport.verbs;

import java.util.Set;
import org.junit.jupiter.api.Tag;

/**
 * The contract on a real device, or on Soft-RoCE: two addresses of one device, or one address that
 * talks to itself. {@link RealDevice} says how to choose it.
 */
@Tag("rdma-device")
class IbverbsContractTest extends VerbsContractTest {
  @Override
  protected VerbsDevice openLeft() throws VerbsException {
    return RealDevice.openWithAddress(0);
  }

  @Override
  protected VerbsDevice openRight() throws VerbsException {
    return RealDevice.openWithAddress(1);
  }

  @Override
  protected Traits traits() {
    return new Traits(
        Set.of(CompletionStatus.REM_INV_REQ_ERR, CompletionStatus.REM_ACCESS_ERR), true, false);
  }
}
