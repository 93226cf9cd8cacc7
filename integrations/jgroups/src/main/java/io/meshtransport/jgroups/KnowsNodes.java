package io.meshtransport.jgroups;

/** What {@link MESH_PING} needs of the transport below it. */
interface KnowsNodes {
  /**
   * The nodes of the mesh.
   *
   * @throws IllegalStateException if it is not started
   */
  Directory directory();
}
