// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a host has to offer.
 *
 * @param nics usable ports, best first
 * @param inactive ports with an address that are set down or lack a carrier, and lack nothing else,
 *     best first: usable as soon as their cable carries. Each has its reason among the rejections
 * @param rejections what was left out, and why
 */
public record Inventory(List<Nic> nics, List<Nic> inactive, List<Rejection> rejections) {
  public Inventory {
    nics = List.copyOf(nics);
    inactive = List.copyOf(inactive);
    rejections = List.copyOf(rejections);
  }

  /** This and then the other. */
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

  /** Every reason in a line of its own: for the failure text of whoever needed a NIC. */
  public String explain() {
    return rejections.stream().map(Rejection::toString).collect(Collectors.joining("\n"));
  }
}
