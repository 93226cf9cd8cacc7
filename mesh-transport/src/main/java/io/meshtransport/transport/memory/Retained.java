// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

/** What a request keeps from ending while it is under way. */
public interface Retained {
  /**
   * The request's message of so many bytes has come, or gone, under its channel's lock. Said once
   * or more.
   */
  default void arrived(long lengthBytes) {
    // Most memory is where users want their messages.
  }

  /** The registered memory that the request's bytes are in. */
  MeshMemory memory();

  /** The request is over. */
  void release();
}
