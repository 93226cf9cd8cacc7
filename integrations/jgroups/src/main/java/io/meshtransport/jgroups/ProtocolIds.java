// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import org.jgroups.conf.ClassConfigurator;

/**
 * The numbers under which the protocols of this package put their headers into messages. They are
 * on the wire: every member has the same, and they never change. JGroups leaves those from 512 on
 * to others.
 */
final class ProtocolIds {
  static final short MESH = 4791;
  static final short MESH_PING = 4792;

  private ProtocolIds() {}

  /** Tells JGroups the number of a class, once; to be called when the class is initialised. */
  static void register(short id, Class<?> protocol) {
    synchronized (ProtocolIds.class) {
      if (ClassConfigurator.getProtocolId(protocol) == 0) {
        ClassConfigurator.addProtocol(id, protocol);
      }
    }
  }
}
