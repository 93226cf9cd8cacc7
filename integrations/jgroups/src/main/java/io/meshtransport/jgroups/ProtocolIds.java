// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import org.jgroups.conf.ClassConfigurator;

/**
 * The numbers of the protocols of this package in the headers of messages. They are on the wire:
 * every member has the same, and they never change. JGroups reserves those below 512 for itself.
 */
final class ProtocolIds {
  static final short MESH = 4791;
  static final short MESH_PING = 4792;

  private ProtocolIds() {}

  /** Registers the number of a class with JGroups, once; called when the class is initialised. */
  static void register(short id, Class<?> protocol) {
    synchronized (ProtocolIds.class) {
      if (ClassConfigurator.getProtocolId(protocol) == 0) {
        ClassConfigurator.addProtocol(id, protocol);
      }
    }
  }
}
