// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A host recorded below {@code src/test/resources/hosts}, see the README there.
 *
 * @param sysfs what stands for {@code /sys}
 * @param interfaces read from {@code ip-addr.json}
 */
record RecordedHost(Path sysfs, List<HostInterface> interfaces) {

  static RecordedHost named(String name) throws IOException, URISyntaxException {
    Path folder = Path.of(RecordedHost.class.getResource("/hosts/" + name).toURI());
    return new RecordedHost(folder, interfaces(folder.resolve("ip-addr.json")));
  }

  private static List<HostInterface> interfaces(Path ipAddr) throws IOException {
    List<HostInterface> interfaces = new ArrayList<>();
    for (JsonNode link : new ObjectMapper().readTree(ipAddr.toFile())) {
      List<String> flags = new ArrayList<>();
      link.path("flags").forEach(flag -> flags.add(flag.asText()));
      interfaces.add(
          new HostInterface(
              link.path("ifname").asText(),
              link.path("ifindex").asInt(),
              flags.contains("UP"),
              flags.contains("LOOPBACK"),
              link.path("mtu").asInt(),
              addresses(link.path("addr_info"))));
    }
    return interfaces;
  }

  private static List<LinkAddress> addresses(JsonNode infos) {
    List<LinkAddress> addresses = new ArrayList<>();
    for (JsonNode info : infos) {
      addresses.add(
          LinkAddress.parse(info.path("local").asText() + "/" + info.path("prefixlen").asInt()));
    }
    return addresses;
  }
}
