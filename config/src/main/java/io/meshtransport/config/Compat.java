// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

/** A foreign wire to speak besides our own. */
public enum Compat {
  /** Ours only. */
  NONE,
  /** Also the wire of the C plugin nccl-mesh, which has no authentication. */
  NCCL_MESH
}
