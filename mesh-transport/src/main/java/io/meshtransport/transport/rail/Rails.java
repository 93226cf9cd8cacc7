// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The rails of one multi-rail channel: queue pairs on one cable or on several, of which one, the
 * primary, carries all control messages.
 *
 * <p>The sending end cuts a long message into chunks and writes them over all rails; when the
 * peer's NICs have acknowledged every chunk, it sends a NOTICE on the primary, and on each other
 * rail that it used an immediate behind its chunks: {@link Placements}. Short messages go over the
 * primary as on a channel over one endpoint. Chunks that were under way on a rail that is lost go
 * over the others, but the NOTICE of their message waits until the receiver has reported that its
 * end of the lost rail is gone: so no byte moves in the memory of a receive that is over.
 *
 * <p>When the primary is lost, the sending end makes the next rail the primary and sends RAIL_LOST
 * there, with the number of ADVERTISEs that it has read. The receiving end reads what still came,
 * destroys its end, and answers with the number of messages that it has seen; then each sends again
 * what the other has not seen.
 *
 * <p>A rail that is lost leaves its place to another, which has a higher number.
 *
 * <p>One rail may go over a relay. It stands by, and becomes the primary when the last of the
 * others is lost. Since primaries ascend in their numbers, it must have the highest: when another
 * rail joins it is made anew, and the one before is given up then. That is also how a channel
 * returns to its cable. Confined to the channel's lock.
 */
public final class Rails {
  /** As many as there are bits in a set of them. */
  public static final int MAX = RailId.MAX_RAILS;

  /**
   * How often an end polls rails on which it awaits nothing: often enough to find a new primary
   * soon, seldom enough to leave the rest to their devices.
   */
  static final long IDLE_POLL_NS = 100_000_000;

  /** Of rails whose place another has; a waiting thread may still be parked on one of them. */
  private final List<MeshEndpoint> replaced = new ArrayList<>(0);

  private Rail[] all;
  private Rail primary;
  private int size;
  private long polledNs;
  private boolean isPollDue;

  Rails(Rail first) {
    this.all = new Rail[] {first};
    this.size = 1;
    this.primary = first;
  }

  public int size() {
    return size;
  }

  /** In no order. */
  public Rail get(int index) {
    return all[index];
  }

  public Rail primary() {
    return primary;
  }

  void primary(Rail next) {
    primary = next;
  }

  /**
   * Takes a rail in; the one that had its place is gone.
   *
   * @return false if that is not so
   */
  boolean add(Rail rail) {
    for (int i = 0; i < size; i++) {
      if (all[i].place() == rail.place()) {
        if (!isReplaceable(all[i]) || rail.number() <= all[i].number()) {
          return false;
        }
        if (!all[i].isDiscarded()) {
          replaced.add(all[i].endpoint());
        }
        all[i] = rail;
        return true;
      }
    }
    Rail[] more = Arrays.copyOf(all, size + 1);
    more[size] = rail;
    all = more;
    size++;
    return true;
  }

  /** A primary that is gone is replaced as the primary first. */
  private boolean isReplaceable(Rail rail) {
    return rail.is(Rail.State.GONE) && rail != primary;
  }

  /** Whether a rail that comes with this number finds its place free. */
  public boolean isFree(int place, int number) {
    Rail there = at(place);
    return there == null || isReplaceable(there) && there.number() < number;
  }

  /** Every endpoint that there is or was and that has not been discarded. */
  void forEachEndpoint(Consumer<VerbsEndpoint> what) {
    for (int i = 0; i < size; i++) {
      if (!all[i].isDiscarded()) {
        what.accept(all[i].endpoint());
      }
    }
    replaced.forEach(what);
  }

  /** Passes on the endpoints of rails that are gone, to be closed; the primary's stays. */
  void discardGone(Consumer<MeshEndpoint> what) {
    for (int i = 0; i < size; i++) {
      if (isReplaceable(all[i]) && !all[i].isDiscarded()) {
        all[i].discarded();
        what.accept(all[i].endpoint());
      }
    }
    if (!replaced.isEmpty()) {
      replaced.forEach(what);
      replaced.clear();
    }
  }

  Rail of(VerbsEndpoint endpoint) {
    for (int i = 0; i < size; i++) {
      if (all[i].endpoint() == endpoint) {
        return all[i];
      }
    }
    throw new IllegalStateException("an endpoint of another channel");
  }

  /** Something failed on an endpoint, unless it is that of a rail that has been replaced. */
  void fail(VerbsEndpoint endpoint, TransportException why) {
    for (int i = 0; i < size; i++) {
      if (all[i].endpoint() == endpoint) {
        all[i].fail(why);
      }
    }
  }

  /** The one at a place, or null if there has been none. */
  public Rail at(int place) {
    for (int i = 0; i < size; i++) {
      if (all[i].place() == place) {
        return all[i];
      }
    }
    return null;
  }

  /**
   * The live one with the lowest number; one that stands by only if there is no other; null if all
   * are lost.
   */
  public Rail firstLive() {
    Rail first = null;
    for (int i = 0; i < size; i++) {
      if (all[i].isLive() && (first == null || isBefore(all[i], first))) {
        first = all[i];
      }
    }
    return first;
  }

  private static boolean isBefore(Rail one, Rail other) {
    return one.isStandby() == other.isStandby() ? one.number() < other.number() : other.isStandby();
  }

  /** As {@link #firstLive}, of those that may follow the primary: it has a higher number. */
  public Rail nextPrimary() {
    Rail next = null;
    for (int i = 0; i < size; i++) {
      boolean isLater = all[i].isLive() && all[i].number() > primary.number();
      if (isLater && (next == null || isBefore(all[i], next))) {
        next = all[i];
      }
    }
    return next;
  }

  /** A live one that stands by and has been made anew, or null if there is none. */
  public Rail replacedStandby() {
    Rail first = null;
    Rail last = null;
    for (int i = 0; i < size; i++) {
      if (all[i].isLive() && all[i].isStandby()) {
        first = first == null || all[i].number() < first.number() ? all[i] : first;
        last = last == null || all[i].number() > last.number() ? all[i] : last;
      }
    }
    return first == last ? null : first;
  }

  /** Whether each of a set of rails is live. */
  public boolean areLive(long bits) {
    for (int i = 0; i < size; i++) {
      if ((bits & all[i].bit()) != 0 && !all[i].isLive()) {
        return false;
      }
    }
    return true;
  }

  public boolean isAny(Rail.State state) {
    for (int i = 0; i < size; i++) {
      if (all[i].is(state)) {
        return true;
      }
    }
    return false;
  }

  /** Bits of the rails in a state. */
  public long bits(Rail.State state) {
    long bits = 0;
    for (int i = 0; i < size; i++) {
      bits |= all[i].is(state) ? all[i].bit() : 0;
    }
    return bits;
  }

  /** Whether it is time to poll rails on which nothing is awaited. */
  boolean isPollDue(long nowNs) {
    if (nowNs - polledNs < IDLE_POLL_NS && !isPollDue) {
      return false;
    }
    isPollDue = false;
    polledNs = nowNs;
    return true;
  }

  /** The next poll is to be of all rails: what has completed there raises no event any more. */
  void pollSoon() {
    isPollDue = true;
  }
}
