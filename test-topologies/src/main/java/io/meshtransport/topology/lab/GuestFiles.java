// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.nio.file.Path;

/**
 * Files that a fabric and its guests share, below one folder of the host. Its path is short: those
 * of sockets end at 107 bytes.
 *
 * @param folder of this fabric alone
 */
record GuestFiles(Path folder) {
  /**
   * Where a guest sees {@link #share}, on a file system of its own: it hides nothing of the host.
   */
  static final String SHARE_IN_GUEST = "/run/mesh-lab";

  /** Where a guest writes what shall come back. */
  static final String OUT_IN_GUEST = SHARE_IN_GUEST + "/out";

  /** Writable for one guest. */
  Path share(String node) {
    return folder.resolve(node);
  }

  /** The guest's side of {@link #OUT_IN_GUEST}. */
  Path out(String node) {
    return share(node).resolve("out");
  }

  /** The script of {@link GuestScript}. */
  Path script(String node) {
    return share(node).resolve("guest.sh");
  }

  /** What the guest's kernel, its script and its agent print. */
  Path console(String node) {
    return folder.resolve(node + ".console");
  }

  /** What QEMU itself prints. */
  Path emulatorLog(String node) {
    return folder.resolve(node + ".qemu");
  }

  Path agentSocket(String node) {
    return folder.resolve(node + ".agent");
  }

  Path controlSocket(String node) {
    return folder.resolve(node + ".qmp");
  }

  /** One end of a cable. */
  Path cableSocket(int cable, String node) {
    return folder.resolve("cable" + cable + "." + node);
  }
}
