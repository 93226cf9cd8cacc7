// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stacks of members in one JVM, on loopback addresses: {@code mesh.xml} as it comes, and the
 * same with TCP and TCPPING in the place of MESH and MESH_PING.
 */
final class StartStack {
  private static final String MESH = "mesh.xml";
  private static final int PORT = 17_800;
  private static final Pattern TRANSPORT =
      Pattern.compile("<io\\.meshtransport\\.jgroups\\.MESH\\s[^>]*/>");
  private static final Pattern DISCOVERY =
      Pattern.compile("<io\\.meshtransport\\.jgroups\\.MESH_PING\\s*/>");
  private static final Pattern NAMED =
      Pattern.compile("\\$\\{jgroups\\.mesh\\.(node_name|seeds|settings|bind_port):[^}]*}");

  private final Side side;
  private final String text;

  StartStack(Side side) {
    this.side = side;
    try (InputStream stack = StartStack.class.getClassLoader().getResourceAsStream(MESH)) {
      text = new String(stack.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(MESH + " of MESH's jar", e);
    }
  }

  /** The stack of a member, counted from 1; all others know where the first one is. */
  String of(int number) {
    return side == Side.MESH ? mesh(number) : stock(number);
  }

  private String mesh(int number) {
    return NAMED
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(value(found.group(1), number)));
  }

  private static String value(String name, int number) {
    return switch (name) {
      case "node_name" -> "member-" + number;
      case "seeds" -> number == 1 ? "" : address(1) + ":" + PORT;
      case "settings" -> "MESH_LOOPBACK=" + address(number) + "/24";
      default -> String.valueOf(PORT);
    };
  }

  /** Members over MESH have an address each, and one port. */
  private static String address(int number) {
    return "127.77.90." + number;
  }

  private String stock(int number) {
    String transport =
        "<TCP bind_addr=\"127.0.0.1\" bind_port=\"%d\" port_range=\"0\" diag.enabled=\"false\" thread_pool.max_threads=\"200\"/>"
            .formatted(PORT + number);
    String discovery =
        "<TCPPING initial_hosts=\"127.0.0.1[%d]\" port_range=\"0\"/>".formatted(PORT + 1);
    String whole = TRANSPORT.matcher(text).replaceFirst(Matcher.quoteReplacement(transport));
    return DISCOVERY.matcher(whole).replaceFirst(Matcher.quoteReplacement(discovery));
  }
}
