// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Map;

/**
 * An implementation of this SPI, found with {@link java.util.ServiceLoader}. Any thread may call
 * it; it holds nothing.
 */
public interface TransportProvider {
  /** Short name, unique on a class path, as in {@code mesh}. */
  String name();

  /**
   * Opens a transport. Rules as for {@link Transport#open(Map)}.
   *
   * @param settings names as in the environment (MESH_TIMEOUT_MS ...); stronger than system
   *     properties and the environment
   */
  Transport open(Map<String, String> settings) throws TransportException;
}
