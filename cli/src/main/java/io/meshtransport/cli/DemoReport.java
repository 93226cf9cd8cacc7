// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.util.List;

/**
 * What a demo has shown, as {@code --json} writes it.
 *
 * @param topology its name
 * @param provider what drove the NICs
 * @param nodes their names
 * @param channels one per direction of each pair
 * @param bytesOnWrongCable what {@link io.meshtransport.topology.CableProof} found
 * @param result {@code PASS}, or {@code FAIL: } and why
 */
record DemoReport(
    String topology,
    String provider,
    List<String> nodes,
    List<Channel> channels,
    long bytesOnWrongCable,
    String result) {
  static final String PASS = "PASS";

  /**
   * One direction between two nodes.
   *
   * @param messages whose every byte was checked
   * @param bytes of those
   * @param verified whether they were all right
   */
  record Channel(
      String from,
      String to,
      String localNic,
      String peerAddress,
      String subnet,
      double handshakeMillis,
      long messages,
      long bytes,
      double megabytesPerSecond,
      double latencyMicrosP50,
      double latencyMicrosP99,
      boolean verified) {}

  static DemoReport failed(String topology, List<String> nodes, String why) {
    String line = why.strip().replaceAll("\\s*\\R\\s*", "; ");
    return new DemoReport(topology, "unknown", nodes, List.of(), 0, "FAIL: " + line);
  }

  /** The same, but for something else that was wrong. */
  DemoReport failedAfterAll(String why) {
    return new DemoReport(topology, provider, nodes, channels, bytesOnWrongCable, "FAIL: " + why);
  }

  boolean passed() {
    return result.equals(PASS);
  }

  String table() {
    TextTable table =
        new TextTable(
            "from",
            "to",
            "local NIC",
            "subnet",
            "handshake ms",
            "messages",
            "MB/s",
            "latency us p50",
            "p99");
    for (Channel channel : channels) {
      table.row(
          channel.from(),
          channel.to(),
          channel.localNic(),
          channel.subnet(),
          "%.1f".formatted(channel.handshakeMillis()),
          String.valueOf(channel.messages()),
          "%.0f".formatted(channel.megabytesPerSecond()),
          "%.1f".formatted(channel.latencyMicrosP50()),
          "%.1f".formatted(channel.latencyMicrosP99()));
    }
    return table.toString();
  }
}
