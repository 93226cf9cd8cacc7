// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Map;

/**
 * An implementation of this SPI, found with {@link java.util.ServiceLoader}. Any thread may call
 * it; it has no state.
 */
public interface TransportProvider {
  /** Short name, unique on a class path, as in {@code mesh}. */
  String name();

  /**
   * Opens a transport, as {@link Transport#open(Map)} specifies.
   *
   * @param settings values by their names in the environment (MESH_TIMEOUT_MS ...); they override
   *     system properties, which override the environment
   * @return the caller's to close
   */
  Transport open(Map<String, String> settings) throws TransportException;
}
