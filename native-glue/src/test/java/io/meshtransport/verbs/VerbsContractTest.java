// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What every verbs provider must do, whatever is below it. A subclass gives two devices that can
 * reach each other, and says honestly where they differ from others.
 */
public abstract class VerbsContractTest
    implements MessageContract,
        OneSidedContract,
        RefusalContract,
        StateContract,
        CompletionContract,
        EventsContract,
        LifeContract,
        TrafficContract {
  private ContractPair pair;

  protected abstract VerbsDevice openLeft() throws Exception;

  protected abstract VerbsDevice openRight() throws Exception;

  protected abstract Traits traits();

  @BeforeEach
  void openDevices() throws Exception {
    pair = new ContractPair(openLeft(), openRight(), traits());
  }

  @AfterEach
  void closeDevices() throws Exception {
    if (pair != null) {
      pair.close();
    }
  }

  @Override
  public ContractPair pair() {
    return pair;
  }
}
