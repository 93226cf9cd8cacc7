// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import java.util.List;

/** A prepared operation that owns the registrations of its segments. Any thread, as that one. */
final class SegmentCollective implements Collective {
  private final Collective operation;
  private final List<AutoCloseable> registrations;

  SegmentCollective(Collective operation, List<AutoCloseable> registrations) {
    this.operation = operation;
    this.registrations = List.copyOf(registrations);
  }

  @Override
  public void start(long timeoutNs) throws CollectiveException {
    operation.start(timeoutNs);
  }

  @Override
  public boolean test() throws CollectiveException {
    return operation.test();
  }

  @Override
  public boolean await(long timeoutNs) throws CollectiveException {
    return operation.await(timeoutNs);
  }

  @Override
  public String plan() {
    return operation.plan();
  }

  /** The arena can be closed once requests that are under way have ended. */
  @Override
  public void close() {
    operation.close();
    closeAll(registrations);
  }

  static void closeAll(List<AutoCloseable> registrations) {
    for (AutoCloseable each : registrations) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException("a registration could not be ended", e);
      }
    }
  }
}
