// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.VerbsException;
import java.util.List;

/** Reads a device's GID table. Any thread. */
interface GidRows {
  /** The valid rows of a port, by ascending index. Inside the device's gate. */
  List<GidEntry> of(NativeDevice device, int port) throws VerbsException;
}
