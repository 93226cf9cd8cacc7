// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import java.util.ArrayList;
import java.util.List;

/**
 * Shares chunks out over the rails of a sending end. Rails pull: each has a bounded number of
 * chunks under way, so a fast one comes back for more sooner. No message must wait for a slow rail,
 * so a rail gets a chunk only if, at the rates measured so far, it would have it across well before
 * a faster one had all the rest of that message across. Confined to the channel's lock.
 */
public final class ChunkScheduler {
  private final List<RailWindow> all = new ArrayList<>(Rails.MAX);
  private final int chunkBytes;

  /**
   * @param chunkBytes longest chunk
   */
  public ChunkScheduler(int chunkBytes) {
    this.chunkBytes = chunkBytes;
  }

  /** Of a rail that is to join. */
  public RailWindow newWindow(Rail rail) {
    return new RailWindow(rail, chunkBytes);
  }

  /**
   * A rail has joined: in the place of one that is gone, or in one of its own. Allocates nothing.
   */
  public void add(RailWindow joined) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).rail().place() == joined.rail().place()) {
        all.set(i, joined);
        return;
      }
    }
    all.add(joined);
  }

  /** The window on a rail. */
  public RailWindow window(Rail rail) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).rail() == rail) {
        return all.get(i);
      }
    }
    throw new IllegalStateException("rail " + rail.number() + " has no window");
  }

  /** The longest chunk that a rail can carry now. */
  public int capacityBytes(RailWindow window, long nowNs) {
    return sole() == window
        ? window.soleCapacityBytes()
        : window.capacityBytes(fastestBytesPerNs(), nowNs);
  }

  /** The window of the only rail that is used, or null. */
  private RailWindow sole() {
    RailWindow sole = null;
    for (int i = 0; i < all.size(); i++) {
      if (isUsed(all.get(i))) {
        if (sole != null) {
          return null;
        }
        sole = all.get(i);
      }
    }
    return sole;
  }

  private double fastestBytesPerNs() {
    double fastest = 0;
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      fastest = isUsed(window) ? Math.max(fastest, window.bytesPerNs()) : fastest;
    }
    return fastest;
  }

  /** One that stands by has nothing to carry while there is another. */
  private boolean isUsed(RailWindow window) {
    if (!window.rail().isLive() || window.rail().isBeside()) {
      return window.rail().isLive();
    }
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).rail().isLive() && !all.get(i).rail().isStandby()) {
        return false;
      }
    }
    return true;
  }

  /**
   * The rail that the next chunk of a message goes to now, or null if it should wait for one that
   * is busy.
   *
   * @param leastBytes only a rail that can carry a chunk of this length; 1 if it may be cut
   * @param restBytes of the message that have not been shared out
   */
  public RailWindow next(int leastBytes, long restBytes, long nowNs) {
    RailWindow sole = sole();
    if (sole != null) {
      return sole.soleCapacityBytes() > 0 ? sole : null;
    }
    double fastest = fastestBytesPerNs();
    RailWindow best = null;
    double bestNs = 0;
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      int mayTakeBytes = isUsed(window) ? window.capacityBytes(fastest, nowNs) : 0;
      if (mayTakeBytes >= leastBytes) {
        double takesNs = window.surelyTakesNs(Math.min(mayTakeBytes, restBytes), fastest);
        boolean isBetter =
            best == null
                || takesNs < bestNs
                || takesNs == bestNs && window.inFlightBytes() < best.inFlightBytes();
        bestNs = isBetter ? takesNs : bestNs;
        best = isBetter ? window : best;
      }
    }
    if (best == null) {
      return leastBytes > 1 ? idleOne() : null;
    }
    return isTooLate(best, bestNs, restBytes, fastest) ? null : best;
  }

  /** One whose window is too small for a chunk that cannot be cut, if no other is to be awaited. */
  private RailWindow idleOne() {
    RailWindow idle = null;
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      if (isUsed(window)) {
        if (window.inFlight().size() > 0) {
          return null;
        }
        idle = idle == null || window.bytesPerNs() > idle.bytesPerNs() ? window : idle;
      }
    }
    return idle;
  }

  private boolean isTooLate(RailWindow best, double bestNs, long restBytes, double fastest) {
    if (!best.isMeasured()) {
      return false;
    }
    for (int i = 0; i < all.size(); i++) {
      RailWindow busy = all.get(i);
      // The rate of one that is not measured yet will be known soon.
      boolean mayBeSooner = busy != best && busy.rail().isLive() && busy.inFlight().size() > 0;
      if (mayBeSooner && busy.surelyTakesNs(restBytes, fastest) < bestNs) {
        return true;
      }
    }
    return false;
  }

  /** A rail has answered anything: others that have not are late. */
  public void answered(Rail rail, long nowNs) {
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      if (window.rail() != rail) {
        window.passed(nowNs);
      }
    }
  }

  /**
   * Whether a rail beside the primary has been silent for long, and no other has answered since.
   */
  public boolean isAnyLate(Rail primary, long nowNs) {
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      if (window.rail() != primary && window.rail().isLive() && window.isLate(nowNs)) {
        return true;
      }
    }
    return false;
  }

  /** A live rail beside the primary on which chunks are stuck, or null if there is none. */
  public RailWindow stuck(Rail primary, long nowNs) {
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      if (window.rail() != primary && window.rail().isLive() && window.isStuck(nowNs)) {
        return window;
      }
    }
    return null;
  }

  /** The rail that has most to do, by time; the one given if none has anything to do. */
  public Rail busiest(Rail otherwise) {
    Rail busiest = otherwise;
    double longestNs = -1;
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      boolean isBusy = window.rail().isLive() && window.inFlight().size() > 0;
      if (isBusy && window.takesNs(0) > longestNs) {
        longestNs = window.takesNs(0);
        busiest = window.rail();
      }
    }
    return busiest;
  }

  /** Whether something is under way on another rail than this one. */
  public boolean isAnyBeside(Rail rail) {
    for (int i = 0; i < all.size(); i++) {
      RailWindow window = all.get(i);
      if (window.rail() != rail && window.rail().isLive() && window.inFlight().size() > 0) {
        return true;
      }
    }
    return false;
  }
}
