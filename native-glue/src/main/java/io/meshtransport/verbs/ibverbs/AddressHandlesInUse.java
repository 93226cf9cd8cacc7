// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.AddressHandle;

/**
 * The address handles that the requests of one chain name, which must not be closed while the
 * library reads them. Confined to one thread at a time. Allocates nothing after construction.
 */
final class AddressHandlesInUse {
  private final NativeProtectionDomain domain;
  private final NativeAddressHandle[] ways;

  /** One for each request, all of one protection domain. */
  AddressHandlesInUse(int capacity, NativeProtectionDomain domain) {
    this.domain = domain;
    this.ways = new NativeAddressHandle[capacity];
  }

  /** A request begins, and names none yet. */
  void begin(int index) {
    ways[index] = null;
  }

  /** The address of the handle a request names, or 0 if it cannot name that one. */
  long name(int index, AddressHandle way) {
    boolean isOurs = way instanceof NativeAddressHandle own && own.isOf(domain);
    ways[index] = isOurs ? (NativeAddressHandle) way : null;
    return isOurs ? ways[index].pointer() : 0;
  }

  /**
   * Enters the gates of the first requests' handles.
   *
   * @return how many, to be left again: up to the first request whose handle is missing or closed
   */
  int enter(int count) {
    int entered = 0;
    while (entered < count && ways[entered] != null && ways[entered].enter()) {
      entered++;
    }
    return entered;
  }

  void leave(int count) {
    for (int i = 0; i < count; i++) {
      ways[i].leave();
    }
  }
}
