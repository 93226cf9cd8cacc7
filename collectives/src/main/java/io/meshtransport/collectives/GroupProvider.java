// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import java.time.Duration;

/**
 * Makes groups; found by {@link java.util.ServiceLoader}. Programs use {@link Group#join(Mesh,
 * GroupSpec, Duration)}.
 */
public interface GroupProvider {
  /** As {@link Group#join(Mesh, GroupSpec, Duration)}. */
  Group join(Mesh mesh, GroupSpec spec, Duration timeout) throws CollectiveException;

  /** As {@link Group#join(Transport, GroupSpec, Rendezvous, Duration)}. */
  Group join(Transport transport, GroupSpec spec, Rendezvous rendezvous, Duration timeout)
      throws CollectiveException;
}
