package io.meshtransport.softverbs;

import java.util.ArrayList;
import java.util.List;

/**
 * The wires of a device whose next frames wait for others to leave with them. Guarded by the
 * device's lock, except {@link #areAny}.
 */
final class HeldWires {
  private final List<TcpWire> wires = new ArrayList<>();
  private volatile boolean areAny;

  /** Any thread. What it misses was added a moment ago. */
  boolean areAny() {
    return areAny;
  }

  void add(TcpWire wire) {
    if (!wire.isHeld()) {
      wire.held(true);
      wires.add(wire);
      areAny = true;
    }
  }

  /** Passes on what they have; one that has ended has nothing. */
  void flush() {
    if (!areAny) {
      return;
    }
    areAny = false;
    // By index, since an iterator would be garbage, and a wire that is added meanwhile is met, too.
    for (int i = 0; i < wires.size(); i++) {
      TcpWire wire = wires.get(i);
      wire.held(false);
      wire.flush();
    }
    wires.clear();
  }
}
