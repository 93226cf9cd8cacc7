// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;

/** Receives what changes in the database, on the thread of the node. */
public interface RecordListener {
  /** A record is new, or newer than the one before. */
  void stored(NodeRecord record, long nowNs);

  /** A record was not refreshed in its lifetime. */
  void expired(NodeRecord record, long nowNs);

  /** Others have a record of this node that is newer than its own: of an earlier life of it. */
  void outrun(RecordVersion newer, long nowNs);
}
