// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.transport.endpoint.VerbsEndpoint;

/**
 * What a {@link RailSet} hands to the end of a channel that uses the rails. All calls come with the
 * channel's lock.
 */
public interface RailEvents {
  /**
   * A rail is about to join.
   *
   * @return notes that it has; allocates nothing
   */
  Runnable joining(Rail rail);

  /** The peer has answered a keepalive on a rail. */
  void answered(Rail rail);

  /** An endpoint has failed: nothing more may be posted there that depends on what was before. */
  default void failing(VerbsEndpoint endpoint) {}

  /** A rail has failed, and what completed on it before has been read. */
  void lost(Rail rail);

  /** All endpoints were polled: goes on with what lost rails left to do. */
  void recover();

  /** The device has removed a rail: no byte moves over it any more. */
  void destroyed(Rail rail);

  /** Whether a completion is awaited on another rail than the one that wakes a waiter. */
  boolean isHasty();

  /** The rail whose completions wake a waiter. */
  Rail railToParkOn();
}
