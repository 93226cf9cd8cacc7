// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.time.Duration;

/** What happens to a cable. */
public enum FailoverFault {
  /** Both ends see that it has gone, and come back. */
  PULLED("pulled", "plugged in", Goal.LOST_CARRIER) {
    @Override
    void begin(Fabric fabric, Cable cable) {
      fabric.cut(cable);
    }

    @Override
    void end(Fabric fabric, Cable cable) {
      fabric.mend(cable);
    }
  },

  /** It loses all that it carries, and both ends keep their carrier; of a relayed fabric. */
  SILENT("dead", "alive", Goal.SILENCE) {
    @Override
    void begin(Fabric fabric, Cable cable) {
      fabric.relay(cable).blackHole(FOR_EVER);
    }

    @Override
    void end(Fabric fabric, Cable cable) {
      fabric.relay(cable).blackHole(Duration.ZERO);
    }
  },

  /** It is pulled and plugged in again and again: {@value #TIMES} times in ten seconds. */
  FLAPPING("pulled and plugged in, 20 times in 10 s", "left plugged in", Goal.LOST_CARRIER) {
    @Override
    void begin(Fabric fabric, Cable cable) {
      for (int i = 0; i < TIMES; i++) {
        fabric.cut(cable);
        pause();
        fabric.mend(cable);
        pause();
      }
    }

    @Override
    void end(Fabric fabric, Cable cable) {
      // It ends plugged in.
    }
  };

  /** The longest gap that a receiver should see, by what the ends of the cable notice. */
  private enum Goal {
    LOST_CARRIER(300, "a lost carrier"),
    SILENCE(2000, "silence");

    private final long maxGapMs;
    private final String cause;

    Goal(long maxGapMs, String cause) {
      this.maxGapMs = maxGapMs;
      this.cause = cause;
    }
  }

  private static final Duration FOR_EVER = Duration.ofHours(1);
  private static final int TIMES = 20;
  private static final long PAUSE_MS = 250;

  private final String happens;
  private final String isOver;
  private final Goal goal;

  FailoverFault(String happens, String isOver, Goal goal) {
    this.happens = happens;
    this.isOver = isOver;
    this.goal = goal;
  }

  abstract void begin(Fabric fabric, Cable cable);

  abstract void end(Fabric fabric, Cable cable);

  /** What the cable is when it begins, for people. */
  String happens() {
    return happens;
  }

  /** What the cable is again when it has ended, for people. */
  String isOver() {
    return isOver;
  }

  /** The longest gap that the receiver should see; a busy host may make it longer. */
  long goalMs() {
    return goal.maxGapMs;
  }

  /** A gap beside that goal, for people. */
  String besideGoal(long gapMs) {
    return gapMs <= goal.maxGapMs
        ? "%d ms, within the goal of %d ms for %s".formatted(gapMs, goal.maxGapMs, goal.cause)
        : "%d ms, beyond the goal of %d ms for %s, as a busy host may have it"
            .formatted(gapMs, goal.maxGapMs, goal.cause);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      throw new FabricException("interrupted");
    }
  }
}
