// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

/**
 * A state that knows its successors. A living thing has one field of such an enum and changes it by
 * {@link #next} alone, which refuses what the enum's picture does not draw.
 *
 * @param <S> the enum itself
 */
public interface LifeCycleState<S extends LifeCycleState<S>> {
  /** Whether the picture has an arrow from here to there. */
  boolean mayBecome(S next);

  /**
   * The state that follows this one.
   *
   * @param whose for the text, by its toString
   * @throws IllegalStateException if there is no such arrow: a mistake in our code
   */
  default S next(S next, Object whose) {
    if (!mayBecome(next)) {
      throw new IllegalStateException(whose + " cannot go from " + this + " to " + next);
    }
    return next;
  }
}
