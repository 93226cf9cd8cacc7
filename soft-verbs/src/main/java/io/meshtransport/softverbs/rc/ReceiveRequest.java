// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

/** One receive work request, in a chain and then in the receive queue. Used again and again. */
final class ReceiveRequest {
  long id;
  final SgeList sges;

  ReceiveRequest(int sgeCapacity) {
    sges = new SgeList(sgeCapacity);
  }

  void begin(long newId) {
    id = newId;
    sges.clear();
  }

  void copyFrom(ReceiveRequest other) {
    id = other.id;
    sges.copyFrom(other.sges);
  }
}
