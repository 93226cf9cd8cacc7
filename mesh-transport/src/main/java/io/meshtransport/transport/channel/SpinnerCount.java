// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many threads of this process spin at this moment, and how many cores there are for them. Any
 * thread may call it.
 */
public final class SpinnerCount {
  /** Those of this process: cores are shared by all its transports. */
  public static final SpinnerCount OF_THIS_PROCESS =
      new SpinnerCount(Runtime.getRuntime().availableProcessors());

  private final int cores;
  private final AtomicInteger spinning = new AtomicInteger();

  SpinnerCount(int cores) {
    this.cores = cores;
  }

  void enter() {
    spinning.incrementAndGet();
  }

  void leave() {
    spinning.decrementAndGet();
  }

  /**
   * What is left of a spin where several share the cores: all of it as long as each spinner has a
   * core, and half for each spinner beyond. A spinner on the core of another keeps away the thread
   * that it waits for.
   */
  long share(long limitNs) {
    int beyond = spinning.get() - cores;
    return beyond <= 0 ? limitNs : limitNs >> Math.min(beyond, Long.SIZE - 1);
  }
}
