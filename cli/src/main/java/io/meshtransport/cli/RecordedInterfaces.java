// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.nic.HostInterface;
import io.meshtransport.nic.LinkAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The network interfaces of another host, from what {@code ip -j addr} printed there. */
final class RecordedInterfaces {
  /** Beside the recorded copy of /sys. */
  static final String FILE_NAME = "ip-addr.json";

  private static final ObjectMapper JSON = new ObjectMapper();

  private RecordedInterfaces() {}

  /**
   * @param sysfs folder with the file
   * @throws IOException if there is no such file, or it is not what {@code ip -j addr} prints
   */
  static List<HostInterface> read(Path sysfs) throws IOException {
    Path file = sysfs.resolve(FILE_NAME);
    List<HostInterface> interfaces = new ArrayList<>();
    for (JsonNode link : JSON.readTree(file.toFile())) {
      // ip(8) prints an empty object for each interface that a filter left out.
      if (link.has("ifname")) {
        interfaces.add(hostInterface(link, file));
      }
    }
    return interfaces;
  }

  private static HostInterface hostInterface(JsonNode link, Path file) throws IOException {
    try {
      List<LinkAddress> addresses = new ArrayList<>();
      for (JsonNode address : link.path("addr_info")) {
        String family = address.path("family").asText();
        if (family.equals("inet") || family.equals("inet6")) {
          addresses.add(
              LinkAddress.parse(
                  address.path("local").asText() + "/" + address.path("prefixlen").asInt()));
        }
      }
      return new HostInterface(
          link.path("ifname").asText(),
          link.path("ifindex").asInt(),
          hasFlag(link, "UP"),
          hasFlag(link, "LOOPBACK"),
          link.path("mtu").asInt(),
          addresses);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          file + ", interface " + link.path("ifname").asText() + ": " + e.getMessage(), e);
    }
  }

  private static boolean hasFlag(JsonNode link, String flag) {
    for (JsonNode each : link.path("flags")) {
      if (each.asText().equals(flag)) {
        return true;
      }
    }
    return false;
  }
}
