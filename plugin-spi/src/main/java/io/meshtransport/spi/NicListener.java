// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.List;

/**
 * Notified when the NICs of a transport change: one appears or disappears, gets other addresses,
 * loses its carrier or regains it. See {@link Transport#addNicListener}.
 */
@FunctionalInterface
public interface NicListener {
  /**
   * The NICs have changed. Called on a thread of the transport, one call at a time, in order. Must
   * not block for long: further changes are noticed only when it has returned. May call any method
   * of the transport. An exception is logged.
   *
   * @param now what {@link Transport#nics()} returns from now on
   */
  void nicsChanged(List<NicDescription> now);
}
