// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidTableSource;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/** Reads GID tables from files, for libibverbs that has no function for it: rdma-core before 32. */
final class SysfsGidRows implements GidRows {
  private final GidTableSource files;

  SysfsGidRows(GidTableSource files) {
    this.files = files;
  }

  @Override
  public List<GidEntry> of(NativeDevice device, int port) throws VerbsException {
    try {
      return files.rows(device.name(), port).stream()
          .sorted(Comparator.comparingInt(GidEntry::index))
          .toList();
    } catch (IOException e) {
      throw new VerbsException(
          Errno.EIO,
          "the GID table of " + device.description() + " cannot be read: " + e.getMessage(),
          e);
    }
  }
}
