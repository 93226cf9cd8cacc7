// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsContractTest;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;

/**
 * The contract on soft devices over TCP within this host.
 *
 * <p>Also tests {@link AsyncEventQueue}, {@link DeviceLock}, {@link DeviceSelector}, {@link
 * DeviceTimers} and {@link SoftCompletionChannel}.
 */
class SoftTcpContractTest extends VerbsContractTest {
  private final SoftProvider provider = new SoftProvider();

  @Override
  protected VerbsDevice openLeft() throws VerbsException {
    return provider.open("lo-127.77.1.1");
  }

  @Override
  protected VerbsDevice openRight() throws VerbsException {
    return provider.open("lo-127.77.1.2");
  }

  @Override
  protected Traits traits() {
    return Traits.ofSoft();
  }
}
