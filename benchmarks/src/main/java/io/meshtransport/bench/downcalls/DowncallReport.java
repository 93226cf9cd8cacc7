// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code ./mesh bench downcalls} has found.
 *
 * @param cases each figure beside its target, and java.lang.foreign beside JNA
 * @param figures all that was measured, by the mechanism of the call
 * @param machine what it ran on
 */
public record DowncallReport(
    List<DowncallCase> cases, Map<String, List<DowncallResult>> figures, String machine) {
  static final String JNA = "JNA";
  static final String FOREIGN = "java.lang.foreign";
  private static final String CHAIN_CALLS = "PostAndPoll.callsInChains";
  private static final String ROUND_TRIP = "HalfRoundTrip.message ";
  private static final Map<String, Double> TARGET_NS = Map.of(JNA, 40.0, FOREIGN, 5.0);
  private static final String UNIT = "ns/message";

  static DowncallReport of(Map<String, List<DowncallResult>> figures, String machine) {
    List<DowncallCase> cases = new ArrayList<>();
    figures.forEach(
        (binding, all) ->
            all.stream()
                .filter(figure -> figure.name().equals(CHAIN_CALLS))
                .map(
                    figure ->
                        DowncallCase.of(
                            CHAIN_CALLS + " through " + binding,
                            figure.nanos(),
                            TARGET_NS.get(binding),
                            "target",
                            UNIT))
                .forEach(cases::add));
    // No call into libibverbs is in these: they have a peer of their own.
    figures.forEach((binding, all) -> roundTrip(binding, all).ifPresent(cases::add));
    for (DowncallResult ours : figures.getOrDefault(FOREIGN, List.of())) {
      figures.getOrDefault(JNA, List.of()).stream()
          .filter(peer -> peer.name().equals(ours.name()))
          .filter(peer -> !peer.name().startsWith(ROUND_TRIP))
          .map(peer -> DowncallCase.of(ours.name(), ours.nanos(), peer.nanos(), JNA, UNIT))
          .forEach(cases::add);
    }
    return new DowncallReport(List.copyOf(cases), Map.copyOf(figures), machine);
  }

  private static Optional<DowncallCase> roundTrip(String binding, List<DowncallResult> all) {
    Optional<DowncallResult> channel = figure(all, ROUND_TRIP + HalfRoundTrip.Layer.CHANNEL);
    Optional<DowncallResult> socket = figure(all, ROUND_TRIP + HalfRoundTrip.Layer.SOCKET);
    return channel.isEmpty() || socket.isEmpty()
        ? Optional.empty()
        : Optional.of(
            DowncallCase.of(
                channel.get().name() + ", the Java of " + binding,
                channel.get().nanos(),
                socket.get().nanos(),
                "socket",
                UNIT));
  }

  private static Optional<DowncallResult> figure(List<DowncallResult> all, String name) {
    return all.stream().filter(figure -> figure.name().equals(name)).findFirst();
  }
}
