// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * iperf3 with a single stream and its own defaults (writes of 128 KiB), the first second left out;
 * in millions of bytes per second, as the receiver counts them. One thread.
 */
final class Iperf implements MeasuredSystem {
  /** Its usual port. */
  private static final int PORT = 5201;

  private static final double BITS_PER_MEGABYTE = 8e6;
  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Fabric fabric;
  private final String name;

  Iperf(Fabric fabric) {
    this(fabric, "iperf3");
  }

  /**
   * @param fabric whose first node reaches the last
   */
  Iperf(Fabric fabric, String name) {
    this.fabric = fabric;
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Double> measure(double seconds, int round) {
    int wholeSeconds = (int) Math.ceil(seconds);
    List<String> client =
        List.of(
            "iperf3",
            "--client",
            PairAddresses.address(fabric, fabric.topology().nodes().size() - 1),
            "--time",
            String.valueOf(wholeSeconds),
            "--omit",
            "1",
            "--json");
    List<String> server = List.of("iperf3", "--server", "--one-off");
    String output =
        new ClientAndServer(fabric, server, client, Map.of(), PORT)
            .run(GRACE.plusSeconds(wholeSeconds));
    return List.of(megabytesPerSecond(output));
  }

  /**
   * Parses the output of {@code --json}.
   *
   * @throws FabricException if the output has another form
   */
  static double megabytesPerSecond(String output) {
    try {
      JsonNode end = JSON.readTree(output.substring(Math.max(0, output.indexOf('{')))).path("end");
      JsonNode rate = end.path("sum_received").path("bits_per_second");
      if (!rate.isNumber()) {
        throw new FabricException("iperf3 did not say how fast it was: " + output.strip());
      }
      return rate.doubleValue() / BITS_PER_MEGABYTE;
    } catch (JsonProcessingException e) {
      throw new FabricException("iperf3 did not answer in JSON: " + output.strip(), e);
    }
  }

  @Override
  public void close() {
    // Its programs end with each round.
  }
}
