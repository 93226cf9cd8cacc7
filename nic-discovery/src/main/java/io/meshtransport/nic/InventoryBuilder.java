// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.ArrayList;
import java.util.List;

/** Collects the result of one scan. Confined to the scanning thread. */
final class InventoryBuilder {
  private final List<Nic> nics = new ArrayList<>();
  private final List<Nic> inactive = new ArrayList<>();
  private final List<Rejection> rejections = new ArrayList<>();

  /** Adds a port that is usable, or would be if it were ACTIVE. */
  void offer(Nic nic) {
    (nic.state() == PortState.ACTIVE ? nics : inactive).add(nic);
  }

  void reject(Rejection rejection) {
    rejections.add(rejection);
  }

  Inventory inventory() {
    return new Inventory(nics, inactive, rejections);
  }
}
