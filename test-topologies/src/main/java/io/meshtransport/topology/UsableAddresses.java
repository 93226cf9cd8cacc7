// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until each interface of a node has its carrier and no address is tentative, for until then
 * binding to it fails.
 */
final class UsableAddresses {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Command show;

  /**
   * @param show prints what {@code ip -j addr} prints at the node
   */
  UsableAddresses(Command show) {
    this.show = show;
  }

  void await() {
    long deadline = System.nanoTime() + LIMIT_NS;
    String shown = show.run();
    while (!areUsable(shown)) {
      if (System.nanoTime() - deadline > 0) {
        throw new FabricException("addresses are still not usable: " + shown);
      }
      LockSupport.parkNanos(LOOK_AGAIN_NS);
      shown = show.run();
    }
  }

  static boolean areUsable(String ipAddrJson) {
    try {
      for (JsonNode link : JSON.readTree(ipAddrJson)) {
        boolean isLoopback = link.path("ifname").asText().equals("lo");
        if (!isLoopback && !link.path("operstate").asText().equals("UP")) {
          return false;
        }
        for (JsonNode address : link.path("addr_info")) {
          if (address.path("tentative").asBoolean()) {
            return false;
          }
        }
      }
      return true;
    } catch (JsonProcessingException e) {
      throw new FabricException("not what `ip -j addr` prints: " + ipAddrJson, e);
    }
  }
}
