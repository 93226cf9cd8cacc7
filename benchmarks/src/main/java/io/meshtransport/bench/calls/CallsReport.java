// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.calls;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code ./mesh bench calls} has found.
 *
 * @param cases each figure beside its target, and java.lang.foreign beside JNA
 * @param figures all that was measured, by the mechanism of the call
 * @param machine what it ran on
 */
public record CallsReport(
    List<CallCase> cases, Map<String, List<CallFigure>> figures, String machine) {
  static final String JNA = "JNA";
  static final String FOREIGN = "java.lang.foreign";
  private static final String CHAIN_CALLS = "PostAndPoll.callsInChains";
  private static final String ROUND_TRIP = "HalfRoundTrip.message ";
  private static final Map<String, Double> TARGET_NS = Map.of(JNA, 40.0, FOREIGN, 5.0);
  private static final String UNIT = "ns/message";

  static CallsReport of(Map<String, List<CallFigure>> figures, String machine) {
    List<CallCase> cases = new ArrayList<>();
    figures.forEach(
        (way, all) ->
            all.stream()
                .filter(figure -> figure.name().equals(CHAIN_CALLS))
                .map(
                    figure ->
                        CallCase.of(
                            CHAIN_CALLS + " through " + way,
                            figure.nanos(),
                            TARGET_NS.get(way),
                            "target",
                            UNIT))
                .forEach(cases::add));
    // No call into libibverbs is in these: they have a peer of their own.
    figures.forEach((way, all) -> roundTrip(way, all).ifPresent(cases::add));
    for (CallFigure ours : figures.getOrDefault(FOREIGN, List.of())) {
      figures.getOrDefault(JNA, List.of()).stream()
          .filter(peer -> peer.name().equals(ours.name()))
          .filter(peer -> !peer.name().startsWith(ROUND_TRIP))
          .map(peer -> CallCase.of(ours.name(), ours.nanos(), peer.nanos(), JNA, UNIT))
          .forEach(cases::add);
    }
    return new CallsReport(List.copyOf(cases), Map.copyOf(figures), machine);
  }

  private static Optional<CallCase> roundTrip(String way, List<CallFigure> all) {
    Optional<CallFigure> channel = figure(all, ROUND_TRIP + HalfRoundTrip.Layer.CHANNEL);
    Optional<CallFigure> socket = figure(all, ROUND_TRIP + HalfRoundTrip.Layer.SOCKET);
    return channel.isEmpty() || socket.isEmpty()
        ? Optional.empty()
        : Optional.of(
            CallCase.of(
                channel.get().name() + ", the Java of " + way,
                channel.get().nanos(),
                socket.get().nanos(),
                "socket",
                UNIT));
  }

  private static Optional<CallFigure> figure(List<CallFigure> all, String name) {
    return all.stream().filter(figure -> figure.name().equals(name)).findFirst();
  }
}
