// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.jgroups.demo.GroupStack;
import io.meshtransport.jgroups.demo.RoutedAddresses;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stack files of all sides: one text, in which only the transport and the discovery differ. The
 * addresses in it are those of a topology's cables, and {@link RoutedAddresses}.
 */
final class Stacks {
  private static final String TEMPLATE = "stack.xml";

  private final Topology topology;
  private final BenchTuning tuning;

  Stacks(Topology topology, BenchTuning tuning) {
    this.topology = topology;
    this.tuning = tuning;
  }

  /** Writes the stack of a node into a folder, and returns the file. */
  Path write(Side side, String node, Path folder) {
    try {
      return Files.writeString(
          folder.resolve(side.name().toLowerCase(Locale.ROOT) + "-" + node + ".xml"),
          text(side, node));
    } catch (IOException e) {
      throw new UncheckedIOException("the stack of node " + node, e);
    }
  }

  String text(Side side, String node) {
    Map<String, String> parts =
        switch (side) {
          case MESH -> mesh(node);
          case STOCK -> stock(node);
          case ACKNOWLEDGED -> acknowledged(node);
        };
    String text = template();
    for (Map.Entry<String, String> part : parts.entrySet()) {
      text = text.replace(part.getKey(), part.getValue());
    }
    for (Map.Entry<String, String> attribute : tuning.of(side).entrySet()) {
      text = withAttribute(text, attribute.getKey(), attribute.getValue());
    }
    return text;
  }

  /** The transport is the first element with attributes; it gets one more, or another value. */
  private static String withAttribute(String text, String name, String value) {
    int end = text.indexOf("/>");
    String transport = text.substring(0, end);
    Matcher present =
        Pattern.compile("(\\s)" + Pattern.quote(name) + "=\"[^\"]*\"").matcher(transport);
    String attribute = name + "=\"" + value + '"';
    return present.find()
        ? present.replaceFirst("$1" + Matcher.quoteReplacement(attribute)) + text.substring(end)
        : transport + "\n      " + attribute + text.substring(end);
  }

  private static String template() {
    try (InputStream text = Stacks.class.getResourceAsStream(TEMPLATE)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(TEMPLATE + " of our own jar", e);
    }
  }

  private Map<String, String> stock(String node) {
    return Map.of(
        "@TRANSPORT@",
        // The buffers of tcp-default.xml, but that a full bundle and its length fit in one; without
        // Nagle's algorithm, as UPerf's small calls are waited for.
        "TCP bind_addr=\"%s\" bind_port=\"%d\" port_range=\"0\" sock_conn_timeout=\"300ms\""
                .formatted(RoutedAddresses.of(topology, node), GroupStack.STOCK_PORT)
            + " recv_buf_size=\"0\" send_buf_size=\"0\" buffered_input_stream_size=\"65536\""
            + " buffered_output_stream_size=\"65540\" tcp_nodelay=\"true\"",
        "@DISCOVERY@",
        knownMembers());
  }

  private String knownMembers() {
    return "TCPPING initial_hosts=\"%s\" port_range=\"0\""
        .formatted(GroupStack.stockMembers(topology, each -> RoutedAddresses.of(topology, each)));
  }

  private Map<String, String> acknowledged(String node) {
    return Map.of(
        "@TRANSPORT@",
        "%s bind_addr=\"%s\" bind_port=\"%d\" port_range=\"0\""
            .formatted(
                AcknowledgedTcp.class.getName(),
                RoutedAddresses.of(topology, node),
                GroupStack.STOCK_PORT),
        "@DISCOVERY@",
        knownMembers());
  }

  private Map<String, String> mesh(String node) {
    return Map.of(
        "@TRANSPORT@",
        "io.meshtransport.jgroups.MESH node_name=\"%s\" seeds=\"%s\""
            .formatted(node, GroupStack.seeds(topology, node)),
        "@DISCOVERY@",
        "io.meshtransport.jgroups.MESH_PING");
  }
}
