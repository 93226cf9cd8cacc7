// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Poller;

/** A poller of a test: nothing in memory has a descriptor. */
abstract class TestPoller implements Poller {
  @Override
  public final int fd() {
    throw new UnsupportedOperationException("nothing in memory has a descriptor");
  }

  @Override
  public final boolean arm() {
    throw new UnsupportedOperationException("nothing in memory has a descriptor");
  }
}
