// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

/** A channel whose sends may wait while no caller polls it. Any thread. */
interface UntestedChannel {
  /** As {@link UntestedSends#poll}, unless the channel is in use at this moment. */
  String pollUntested(long nowNs, long patienceNs);
}
