// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The queue pairs of a device, and the numbers they have. Guarded by the device's lock. */
public final class QueuePairTable {
  private static final int NUMBERS = 1 << 24;

  /** 0 and 1 are reserved for management. */
  private static final int FIRST_NUMBER = 2;

  private final String device;
  private final Set<Integer> numbers = new HashSet<>();

  /** In no order: timers go through them by index, without garbage. */
  private final List<RcEngine> engines = new ArrayList<>();

  private int lastNumber;

  /**
   * @param device name, for failures
   * @param random decides which numbers come first
   */
  QueuePairTable(String device, RandomGenerator random) {
    this.device = device;
    this.lastNumber = random.nextInt(FIRST_NUMBER, NUMBERS);
  }

  /** A number that no queue pair of the device has. */
  int nextNumber() throws VerbsException {
    if (numbers.size() == SoftLimits.MAX_QUEUE_PAIRS) {
      throw new VerbsException(
          Errno.ENOMEM,
          "all " + numbers.size() + " queue pairs of device " + device + " are in use");
    }
    do {
      lastNumber = lastNumber + 1 == NUMBERS ? FIRST_NUMBER : lastNumber + 1;
    } while (numbers.contains(lastNumber));
    return lastNumber;
  }

  int size() {
    return engines.size();
  }

  RcEngine engine(int index) {
    return engines.get(index);
  }

  void add(RcEngine engine) {
    numbers.add(engine.number());
    engine.tableIndex(engines.size());
    engines.add(engine);
  }

  void remove(RcEngine engine) {
    numbers.remove(engine.number());
    // The last one moves to its index: with thousands of them there is no searching or shifting.
    int index = engine.tableIndex();
    RcEngine last = engines.remove(engines.size() - 1);
    if (index < engines.size()) {
      engines.set(index, last);
      last.tableIndex(index);
    }
  }

  /** Whether a queue pair is in INIT: it waits to be given its peer. */
  public boolean isAnyInInit() {
    for (int i = engines.size() - 1; i >= 0; i--) {
      if (engines.get(i).state() == QueuePairState.INIT) {
        return true;
      }
    }
    return false;
  }

  /** The completion queue has overrun: the queue pairs that report there fail. */
  void onBroken(SoftCompletionQueue queue) {
    for (RcEngine engine : List.copyOf(engines)) {
      if (engine.sendCompletions() == queue || engine.receiveCompletions() == queue) {
        engine.failWithEvent();
      }
    }
  }
}
