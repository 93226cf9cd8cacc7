package io.meshtransport.config;

/** A foreign handshake to speak besides our own. */
public enum Compat {
  /** Ours only. */
  NONE,
  /** The unauthenticated handshake of the C plugin nccl-mesh. */
  NCCL_MESH
}
