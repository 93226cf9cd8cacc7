// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/** Reads what {@code ip -s -j link} prints: the kernel's 64-bit counters of each interface. */
public final class LinkStatistics {
  private static final ObjectMapper JSON = new ObjectMapper();

  private LinkStatistics() {}

  /**
   * @throws FabricException if it is something else
   */
  public static List<InterfaceCounters> parse(String ipLinkJson) {
    try {
      List<InterfaceCounters> counters = new ArrayList<>();
      for (JsonNode link : JSON.readTree(ipLinkJson)) {
        JsonNode statistics = link.required("stats64");
        counters.add(
            new InterfaceCounters(
                link.required("ifname").asText(),
                statistics.required("rx").required("bytes").asLong(),
                statistics.required("tx").required("bytes").asLong()));
      }
      return counters;
    } catch (JsonProcessingException e) {
      throw new FabricException("not what `ip -s -j link` prints: " + ipLinkJson, e);
    }
  }
}
