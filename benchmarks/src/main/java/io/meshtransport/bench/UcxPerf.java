// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * ucx_perftest over TCP, one test of it. Its worker is polled all the time, which is its default
 * ({@code -E poll}). It counts iterations, not seconds: how many make some seconds is known from
 * the last time. One thread.
 */
final class UcxPerf implements MeasuredSystem {
  /** Its usual port. */
  private static final int PORT = 13337;

  private static final Duration GRACE = Duration.ofSeconds(60);

  /** How long it takes to find out its speed, at the speed that was guessed. */
  private static final double TRIAL_SECONDS = 0.2;

  private final Fabric fabric;
  private final String test;
  private final int messageBytes;
  private final ToDoubleFunction<Result> figure;
  private double iterationsPerSecond;
  private boolean isKnown;

  /**
   * What it prints with {@code -v}.
   *
   * @param medianMicros half a round trip, where the test has round trips
   * @param messagesPerSecond over the whole run
   */
  record Result(double medianMicros, double messagesPerSecond) {
    private static final String HEADINGS = "iterations,";
    private static final String MEDIAN = "50.0_percentile_lat";
    private static final String RATE = "overall_mr";

    /**
     * @throws FabricException if it printed something else
     */
    static Result parse(String output) {
      List<String> lines = output.lines().toList();
      for (int i = 0; i + 1 < lines.size(); i++) {
        if (lines.get(i).startsWith(HEADINGS)) {
          return of(List.of(lines.get(i).split(",")), List.of(lines.get(i + 1).split(",")), output);
        }
      }
      throw new FabricException("ucx_perftest did not print its numbers: " + output.strip());
    }

    private static Result of(List<String> headings, List<String> values, String output) {
      int median = headings.indexOf(MEDIAN);
      int rate = headings.indexOf(RATE);
      if (values.size() != headings.size() || median < 0 || rate < 0) {
        throw new FabricException("ucx_perftest printed other columns: " + output.strip());
      }
      return new Result(
          Double.parseDouble(values.get(median)), Double.parseDouble(values.get(rate)));
    }
  }

  private UcxPerf(
      Fabric fabric,
      String test,
      int messageBytes,
      double guessPerSecond,
      ToDoubleFunction<Result> figure) {
    this.fabric = fabric;
    this.test = test;
    this.messageBytes = messageBytes;
    this.iterationsPerSecond = guessPerSecond;
    this.figure = figure;
  }

  /** Half a round trip in microseconds, the median. */
  static UcxPerf latency(Fabric fabric, int messageBytes) {
    return new UcxPerf(fabric, "tag_lat", messageBytes, 20_000, Result::medianMicros);
  }

  /** Messages per second. */
  static UcxPerf rate(Fabric fabric, int messageBytes) {
    return new UcxPerf(fabric, "tag_bw", messageBytes, 100_000, Result::messagesPerSecond);
  }

  /** Millions of bytes per second. */
  static UcxPerf bandwidth(Fabric fabric, int messageBytes) {
    return new UcxPerf(
        fabric, "tag_bw", messageBytes, 1_000, all -> all.messagesPerSecond() * messageBytes / 1e6);
  }

  @Override
  public String name() {
    return "ucx_perftest " + test;
  }

  @Override
  public List<Double> measure(double seconds, int round) {
    if (!isKnown) {
      run(TRIAL_SECONDS);
      isKnown = true;
    }
    return List.of(figure.applyAsDouble(run(seconds)));
  }

  private Result run(double seconds) {
    long iterations = Math.max(100, Math.round(seconds * iterationsPerSecond));
    List<String> client =
        new ArrayList<>(List.of("ucx_perftest", PairAddresses.address(fabric, 1)));
    client.addAll(List.of("-p", String.valueOf(PORT), "-t", test));
    client.addAll(List.of("-s", String.valueOf(messageBytes), "-n", String.valueOf(iterations)));
    client.addAll(List.of("-w", String.valueOf(iterations / 10), "-f", "-v"));
    List<String> server = List.of("ucx_perftest", "-p", String.valueOf(PORT));
    String output =
        new ClientAndServer(fabric, server, client, Map.of("UCX_TLS", "tcp"), PORT)
            .run(GRACE.plusMillis((long) (seconds * 3000)));
    Result result = Result.parse(output);
    // Of a latency test a message is half an iteration.
    iterationsPerSecond = result.messagesPerSecond() / (test.endsWith("_lat") ? 2 : 1);
    return result;
  }

  @Override
  public void close() {
    // Its programs end with each round.
  }
}
