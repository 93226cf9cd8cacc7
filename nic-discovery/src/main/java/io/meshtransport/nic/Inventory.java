package io.meshtransport.nic;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a host has to offer.
 *
 * @param nics usable ports, best first
 * @param rejections what was left out, and why
 */
public record Inventory(List<Nic> nics, List<Rejection> rejections) {
  public Inventory {
    nics = List.copyOf(nics);
    rejections = List.copyOf(rejections);
  }

  /** This and then the other. */
  Inventory and(Inventory other) {
    List<Nic> allNics = new ArrayList<>(nics);
    allNics.addAll(other.nics);
    List<Rejection> allRejections = new ArrayList<>(rejections);
    allRejections.addAll(other.rejections);
    return new Inventory(allNics, allRejections);
  }

  /** Every reason in a line of its own: for the failure text of whoever needed a NIC. */
  public String explain() {
    return rejections.stream().map(Rejection::toString).collect(Collectors.joining("\n"));
  }
}
