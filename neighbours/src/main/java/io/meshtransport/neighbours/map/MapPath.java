// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import java.util.List;

/**
 * How bytes get from one node of a map to another and back, though no cable joins them.
 *
 * @param one id of the node that comes first in the map
 * @param other id of the other
 * @param via labels of the nodes between, from the first on
 * @param text the path with its ends, for people
 */
public record MapPath(String one, String other, List<String> via, String text) {
  public MapPath {
    via = List.copyOf(via);
  }
}
