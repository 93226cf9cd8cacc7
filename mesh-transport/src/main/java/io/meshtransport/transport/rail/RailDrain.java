// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import java.util.concurrent.TimeUnit;

/**
 * Reads what still came over a rail that is lost, and destroys it: whatever the peer's device was
 * told to have arrived has been read then, and nothing comes any more. Confined to the channel's
 * lock.
 */
public final class RailDrain {
  /**
   * A queue pair in ERR gives its receives back within microseconds in software, and within a
   * command's time on adapters; one that does not has failed.
   */
  private static final long DRAINING_NS = TimeUnit.SECONDS.toNanos(5);

  private final ChannelCore core;

  public RailDrain(ChannelCore core) {
    this.core = core;
  }

  /** The rail has failed: from now on {@link #isDestroyed} is to be called. */
  public void begin(Rail rail) {
    rail.endpoint().toError(rail.why());
    rail.drain(System.nanoTime());
  }

  /**
   * Goes on with a rail that is draining; the channel breaks if it cannot be destroyed.
   *
   * @return whether it is gone, and the channel goes on
   */
  public boolean isDestroyed(Rail rail) {
    // A caller that polls seldom must not be mistaken for a device that gives nothing back.
    while (core.status.isLive() && !rail.isDrained() && core.polling.poll(rail.endpoint()) > 0) {}
    if (!core.status.isLive()) {
      return false;
    }
    boolean isStuck = !rail.isDrained() && rail.drainingNs(System.nanoTime()) > DRAINING_NS;
    return (rail.isDrained() || isStuck) && isStopped(rail, isStuck);
  }

  private boolean isStopped(Rail rail, boolean isStuck) {
    boolean isStopped = core.teardown.stop(rail.endpoint(), rail.why());
    if (!isStopped && !isStuck && !rail.endpoint().stop(rail.why()).hasFailed()) {
      // The driver is not done: the peer is answered when it is, and until then nothing else
      // waits.
      return false;
    }
    rail.gone();
    if (isStuck || !isStopped) {
      core.shutdown.breakWith(ChannelFailures.notDestroyed(core.route, rail.number()));
      return false;
    }
    return true;
  }
}
