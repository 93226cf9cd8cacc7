// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.List;

/**
 * Is told when the NICs of a transport change: one comes or goes, gets other addresses, loses its
 * carrier or has it again. See {@link Transport#addNicListener}.
 */
@FunctionalInterface
public interface NicListener {
  /**
   * Something has changed. Called on a thread of the transport, one call at a time, in order; it
   * must not block long, for what changes meanwhile is seen only afterwards. What it throws is
   * logged. It may call any method of the transport.
   *
   * @param now what {@link Transport#nics()} answers from now on
   */
  void nicsChanged(List<NicDescription> now);
}
