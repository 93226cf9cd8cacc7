// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One program of perftest over a reliable connection, with its own defaults: it polls all the time,
 * and has 128 messages in flight where it measures bandwidth. It counts messages, not seconds: how
 * many make some seconds is known from the last time. One thread.
 */
final class Perftest implements MeasuredSystem {
  /** Its usual port. */
  private static final int PORT = 18515;

  private static final Duration GRACE = Duration.ofSeconds(120);

  /** perftest's MB are 2^20 bytes. */
  private static final double MEGABYTES_PER_MEBIBYTE = 1.048576;

  private static final String HEADINGS = "#bytes";
  private static final String BANDWIDTH = "BW average[MB/sec]";
  private static final String LATENCY = "t_typical[usec]";
  private static final int MIN_MESSAGES = 20;
  private static final double MICROS_PER_SECOND = 1e6;

  private final Fabric fabric;
  private final String program;
  private final int messageBytes;
  private long messages;
  private boolean isKnown;

  /**
   * @param program ib_send_bw and the like: those in {@code _lat} report the median of half a round
   *     trip in microseconds, those in {@code _bw} millions of bytes per second
   * @param messages how many to find out with how fast it is
   */
  Perftest(Fabric fabric, String program, int messageBytes, long messages) {
    this.fabric = fabric;
    this.program = program;
    this.messageBytes = messageBytes;
    this.messages = messages;
  }

  @Override
  public String name() {
    return program;
  }

  @Override
  public List<Double> measure(double seconds, int round) {
    if (!isKnown) {
      adjust(run(seconds), seconds);
      isKnown = true;
    }
    double figure = run(seconds);
    adjust(figure, seconds);
    return List.of(figure);
  }

  private void adjust(double figure, double seconds) {
    double perSecond =
        isLatency() ? MICROS_PER_SECOND / (2 * figure) : figure * MICROS_PER_SECOND / messageBytes;
    messages = Math.max(MIN_MESSAGES, Math.round(perSecond * seconds));
  }

  private boolean isLatency() {
    return program.endsWith("_lat");
  }

  private double run(double seconds) {
    String output =
        new ClientAndServer(
                fabric,
                command(1, List.of()),
                command(0, List.of(PairAddresses.address(fabric, 1))),
                Map.of(),
                PORT)
            .run(GRACE.plusMillis((long) (seconds * 3000)).multipliedBy(fabric.slowness()));
    return isLatency()
        ? number(output, LATENCY)
        : number(output, BANDWIDTH) * MEGABYTES_PER_MEBIBYTE;
  }

  private List<String> command(int node, List<String> server) {
    List<String> arguments = new ArrayList<>(List.of(program));
    // Soft-RoCE's device is called after the interface; -F: no complaint about processors' speed.
    arguments.addAll(List.of("-d", "rxe_" + PairAddresses.interfaceName(fabric, node), "-F"));
    arguments.addAll(List.of("-s", String.valueOf(messageBytes), "-n", String.valueOf(messages)));
    arguments.addAll(server);
    return arguments;
  }

  /**
   * A number of the table that it prints.
   *
   * @param column its heading
   * @throws FabricException if there is none
   */
  static double number(String output, String column) {
    List<String> lines = output.lines().map(String::strip).toList();
    for (int i = 0; i + 1 < lines.size(); i++) {
      if (lines.get(i).startsWith(HEADINGS)) {
        // Headings have single spaces within them, but where a unit or a percentage ends one.
        List<String> headings =
            List.of(lines.get(i).split("(?<=#bytes|#iterations|\\])\\s*(?=\\S)"));
        List<String> values = List.of(lines.get(i + 1).split("\\s+"));
        int at = headings.stream().map(String::strip).toList().indexOf(column);
        if (at >= 0 && at < values.size()) {
          return Double.parseDouble(values.get(at));
        }
      }
    }
    throw new FabricException("perftest did not print '%s': %s".formatted(column, output.strip()));
  }

  @Override
  public void close() {
    // Its programs end with each round.
  }
}
