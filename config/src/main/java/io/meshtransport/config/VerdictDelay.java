// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.concurrent.TimeUnit;

/**
 * How long those that look nodes up by name wait for a verdict: of two nodes of one name one may be
 * the earlier life of the other. Not to be set. Has no state.
 */
public final class VerdictDelay {
  /** A verdict takes up to 2 s, and a record a moment to arrive. */
  public static final long MAX_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

  private VerdictDelay() {}
}
