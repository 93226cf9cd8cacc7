package io.meshtransport.jgroups.bench;

import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The stack files of both sides: one text, in which only the transport and the discovery differ.
 * The addresses in it are those of a topology's cables, and of {@link HostRoutes}.
 */
final class Stacks {
  private static final String TEMPLATE = "stack.xml";

  private final Topology topology;
  private final HostRoutes routes;

  Stacks(Topology topology, HostRoutes routes) {
    this.topology = topology;
    this.routes = routes;
  }

  /** Writes the stack of a node into a folder, and returns the file. */
  Path write(Side side, String node, Path folder) {
    try {
      return Files.writeString(
          folder.resolve(side.name().toLowerCase(java.util.Locale.ROOT) + "-" + node + ".xml"),
          text(side, node));
    } catch (IOException e) {
      throw new UncheckedIOException("the stack of node " + node, e);
    }
  }

  String text(Side side, String node) {
    Map<String, String> parts = side == Side.MESH ? mesh(node) : stock(node);
    String text = template();
    for (Map.Entry<String, String> part : parts.entrySet()) {
      text = text.replace(part.getKey(), part.getValue());
    }
    return text;
  }

  private static String template() {
    try (InputStream text = Stacks.class.getResourceAsStream(TEMPLATE)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(TEMPLATE + " of our own jar", e);
    }
  }

  private Map<String, String> stock(String node) {
    String all =
        topology.nodes().stream()
            .map(each -> routes.address(each) + "[" + HostRoutes.PORT + "]")
            .collect(Collectors.joining(","));
    return Map.of(
        "@TRANSPORT@",
        // The buffers are those of tcp-default.xml.
        "TCP bind_addr=\"%s\" bind_port=\"%d\" port_range=\"0\" sock_conn_timeout=\"300ms\""
                .formatted(routes.address(node), HostRoutes.PORT)
            + " recv_buf_size=\"0\" send_buf_size=\"0\" buffered_input_stream_size=\"65536\""
            + " buffered_output_stream_size=\"65540\" tcp_nodelay=\"true\"",
        "@DISCOVERY@",
        "TCPPING initial_hosts=\"%s\" port_range=\"0\"".formatted(all));
  }

  private Map<String, String> mesh(String node) {
    String peers =
        topology.cablesOf(node).stream()
            .map(cable -> cable.end(cable.peerOf(node)).address().address().getHostAddress())
            .collect(Collectors.joining(","));
    return Map.of(
        "@TRANSPORT@",
        "io.meshtransport.jgroups.MESH node_name=\"%s\" seeds=\"%s\"".formatted(node, peers),
        "@DISCOVERY@",
        "io.meshtransport.jgroups.MESH_PING");
  }
}
