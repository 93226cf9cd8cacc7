// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The ports of a host: the usable ones, and the others with reasons.
 *
 * @param nics usable ports, best first
 * @param inactive ports that are usable except that they are set down or lack a carrier, best
 *     first. Each has its reason among the rejections
 * @param rejections the ports that are left out, each with its reason
 */
public record Inventory(List<Nic> nics, List<Nic> inactive, List<Rejection> rejections) {
  public Inventory {
    nics = List.copyOf(nics);
    inactive = List.copyOf(inactive);
    rejections = List.copyOf(rejections);
  }

  /** The ports of this inventory, followed by those of the other. */
  Inventory and(Inventory other) {
    return new Inventory(
        joined(nics, other.nics),
        joined(inactive, other.inactive),
        joined(rejections, other.rejections));
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  /** Every port that is usable, or would be with a carrier; the usable ones first. */
  public List<Nic> candidates() {
    return joined(nics, inactive);
  }

  /** All reasons, one per line, for failure texts. */
  public String explain() {
    return rejections.stream().map(Rejection::toString).collect(Collectors.joining("\n"));
  }
}
