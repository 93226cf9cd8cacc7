// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.transport.device.Teardown;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.verbs.VerbsException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stops a channel's endpoints. As long as a driver has not destroyed one's queue pair, the memory
 * of the channel's requests stays registered. Confined to the channel's lock.
 */
public final class ChannelTeardown {
  private final Requests requests;
  private final ReentrantLock lock;

  /** Of queue pairs that may still be there, though their traffic ended. */
  private final Set<Teardown.Removal> unstopped = new HashSet<>(0);

  /**
   * @param lock the channel's
   */
  ChannelTeardown(Requests requests, ReentrantLock lock) {
    this.requests = requests;
    this.lock = lock;
  }

  /**
   * Stops one endpoint.
   *
   * @return false if the device refuses, and what it still does is unknown
   */
  public boolean stop(VerbsEndpoint stopped, Exception context) {
    Teardown.Removal removal = stopped.stop(context);
    try {
      removal.await();
      return true;
    } catch (VerbsException e) {
      if (unstopped.add(removal)) {
        // Better memory that stays registered than memory that changes by itself.
        context.addSuppressed(e);
        requests.keepMemory();
        removal.whenAway(() -> stoppedLate(removal));
      }
      return false;
    }
  }

  /** As {@link #stop}, where it does no harm that the driver is not done yet. */
  public boolean stopOrBegin(VerbsEndpoint stopped, Exception context) {
    return stop(stopped, context) || !stopped.stop(context).hasFailed();
  }

  /** On a thread of the teardown: a driver that took long is done. */
  private void stoppedLate(Teardown.Removal removal) {
    lock.lock();
    try {
      unstopped.remove(removal);
      if (unstopped.isEmpty()) {
        requests.releaseKeptMemory();
      }
    } finally {
      lock.unlock();
    }
  }
}
