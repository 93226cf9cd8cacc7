// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Map;

/**
 * An implementation of {@link Mesh}, found with {@link java.util.ServiceLoader}. Any thread may
 * call it; it has no state.
 */
public interface MeshProvider {
  /** Joins the mesh, as {@link Mesh#join(Transport, Map)} specifies. */
  Mesh join(Transport transport, Map<String, String> settings) throws TransportException;
}
