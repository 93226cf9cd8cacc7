// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * What a join that waits tells the log: who has come, at each change (INFO), and why it waits still
 * (WARN), once after some seconds and then with pauses that double; or sooner where a line named no
 * cause, and now there is one. Confined to the thread that joins.
 */
final class JoinLog {
  private static final Logger LOG = LogManager.getLogger(JoinLog.class);

  /** Programs that are started together come within that time. */
  static final long FIRST_NS = TimeUnit.SECONDS.toNanos(5);

  static final long MAX_PAUSE_NS = TimeUnit.MINUTES.toNanos(5);

  private final String group;
  private final LongSupplier clock;
  private Set<String> present = Set.of();
  private long pauseNs = FIRST_NS;
  private long nextNs;

  /** Whether the last line that says why the join waits had no cause to name. */
  private boolean lacksCause;

  /**
   * @param group in words, before each line
   * @param clock in nanoseconds
   */
  JoinLog(String group, LongSupplier clock) {
    this.group = group;
    this.clock = clock;
    nextNs = clock.getAsLong() + FIRST_NS;
  }

  /**
   * @param now the names of those that are there, in the group's order
   */
  void present(Collection<String> now) {
    Set<String> next = new LinkedHashSet<>(now);
    if (!next.equals(present)) {
      present = next;
      LOG.info("{}: {} there: {}", group, next.size() == 1 ? "1 is" : next.size() + " are", next);
    }
  }

  /**
   * The join waits still.
   *
   * @param hasCause whether something is found that keeps members away
   * @param why it does, in sentences, asked for when they are due
   */
  void waits(BooleanSupplier hasCause, Supplier<String> why) {
    if (clock.getAsLong() - nextNs >= 0 || lacksCause && hasCause.getAsBoolean()) {
      LOG.warn("{}: {}", group, why.get());
      lacksCause = !hasCause.getAsBoolean();
      pauseNs = Math.min(2 * pauseNs, MAX_PAUSE_NS);
      nextNs = clock.getAsLong() + pauseNs;
    }
  }
}
