package io.meshtransport.transport;

import java.util.ArrayList;
import java.util.List;

/**
 * Shares chunks out over the rails of a sending end. Rails pull: each has a bounded number of
 * chunks under way, so a fast one comes back for more sooner. The end of what there is to send must
 * not wait for a slow rail, so a rail gets a chunk only if, at the rates measured so far, it would
 * have it across before the others had all the rest across. Confined to the channel's lock.
 */
final class Flows {
  private final List<Flow> all = new ArrayList<>();

  void add(Rail rail) {
    all.add(new Flow(rail));
  }

  /** The flow on a rail. */
  Flow on(Rail rail) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).rail() == rail) {
        return all.get(i);
      }
    }
    throw new IllegalStateException("rail " + rail.number() + " has no flow");
  }

  /**
   * The rail that the next chunk goes to now, or null if it should wait for one that is busy.
   *
   * @param chunkBytes of that chunk
   * @param restBytes of all that has not been shared out, that chunk included
   */
  Flow next(int chunkBytes, long restBytes) {
    Flow best = null;
    for (int i = 0; i < all.size(); i++) {
      Flow flow = all.get(i);
      if (flow.takesMore() && (best == null || isBetter(flow, best, chunkBytes))) {
        best = flow;
      }
    }
    return best == null || isTooLate(best, chunkBytes, restBytes) ? null : best;
  }

  private static boolean isBetter(Flow one, Flow other, int chunkBytes) {
    double oneNs = one.takesNs(chunkBytes);
    double otherNs = other.takesNs(chunkBytes);
    return oneNs != otherNs ? oneNs < otherNs : one.underWayBytes() < other.underWayBytes();
  }

  private boolean isTooLate(Flow best, int chunkBytes, long restBytes) {
    double bestNs = best.takesNs(chunkBytes);
    for (int i = 0; i < all.size(); i++) {
      Flow busy = all.get(i);
      boolean mayBeSooner = busy.rail().isLive() && !busy.takesMore() && busy.isMeasured();
      if (mayBeSooner && busy.takesNs(restBytes) < bestNs) {
        return true;
      }
    }
    return false;
  }

  /** The rail that has most to do, by time; the one given if none has anything to do. */
  Rail busiest(Rail otherwise) {
    Rail busiest = otherwise;
    double longestNs = -1;
    for (int i = 0; i < all.size(); i++) {
      Flow flow = all.get(i);
      boolean isBusy = flow.rail().isLive() && flow.underWay().size() > 0;
      if (isBusy && flow.takesNs(0) > longestNs) {
        longestNs = flow.takesNs(0);
        busiest = flow.rail();
      }
    }
    return busiest;
  }

  /** Whether something is under way on another rail than this one. */
  boolean isAnyBeside(Rail rail) {
    for (int i = 0; i < all.size(); i++) {
      Flow flow = all.get(i);
      if (flow.rail() != rail && flow.rail().isLive() && flow.underWay().size() > 0) {
        return true;
      }
    }
    return false;
  }
}
