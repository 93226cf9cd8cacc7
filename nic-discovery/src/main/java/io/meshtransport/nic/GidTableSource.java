// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the rows of a port's GID table come from: one call of {@code _ibv_query_gid_table} if
 * libibverbs is there, else the files of sysfs, some thousand opens per port.
 */
@FunctionalInterface
public interface GidTableSource {
  /**
   * The rows that are not empty, in order of their index. A row may lack the netdev's name if it
   * has its ifindex; discovery fills it in.
   *
   * @param device as in {@code mlx5_1}
   * @param port from 1
   * @throws IOException if the table cannot be read; the port is rejected with the exception's text
   */
  List<GidEntry> rows(String device, int port) throws IOException;

  /** The files of this host's sysfs. */
  static GidTableSource ofSysfs() {
    return new SysfsGidTable(new Sysfs(Path.of("/sys")), GidTableSource::ifindexOf);
  }

  private static int ifindexOf(String name) {
    try {
      NetworkInterface netdev = NetworkInterface.getByName(name);
      return netdev == null ? 0 : netdev.getIndex();
    } catch (SocketException e) {
      return 0; // Unknown, as GidEntry has it.
    }
  }

  /**
   * This source, and another where this one cannot be read: a device may not be this user's to
   * open, and still show its table in sysfs.
   */
  default GidTableSource orElse(GidTableSource other) {
    return (device, port) -> {
      try {
        return rows(device, port);
      } catch (IOException first) {
        try {
          return other.rows(device, port);
        } catch (IOException second) {
          second.addSuppressed(first);
          throw second;
        }
      }
    };
  }
}
