// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.neighbours.wire.EncodedRecord;

/**
 * A record of the database.
 *
 * @param expiresNs when it is valid no longer, unless it is refreshed
 */
record StoredRecord(EncodedRecord encoded, long expiresNs) {}
