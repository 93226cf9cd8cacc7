// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsContractTest;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract on a real device, or on Soft-RoCE: two addresses of one device, or one address that
 * talks to itself. {@link RealDevice} says how to choose it.
 */
@NeedsRdmaDevice
class IbverbsContractTest extends VerbsContractTest {
  /** A run that is to prove the one way of calling must not silently take the other. */
  @BeforeAll
  static void requireTheWayThatIsMeant() {
    String meant = System.getProperty("mesh.test.calls", IbverbsProvider.callsThrough());
    assertEquals(meant, IbverbsProvider.callsThrough());
  }

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
    return RealDevice.traits();
  }
}
