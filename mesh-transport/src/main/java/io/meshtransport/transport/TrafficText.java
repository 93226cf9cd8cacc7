package io.meshtransport.transport;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Traffic;
import java.util.Map;
import java.util.StringJoiner;

/** Traffic in words, on one line. */
final class TrafficText {
  private TrafficText() {}

  /** Counters that are zero are left out. */
  static String of(Traffic traffic) {
    return "%s and %s: sent %s; received %s; sends %s"
        .formatted(
            traffic.nic(),
            traffic.peer(),
            counts(traffic.sent()),
            counts(traffic.received()),
            traffic.latencies());
  }

  private static String counts(Map<Counter, Long> counts) {
    StringJoiner text = new StringJoiner(", ");
    text.setEmptyValue("nothing");
    for (Counter counter : Counter.values()) {
      if (counts.get(counter) != 0) {
        text.add(counter + " " + counts.get(counter));
      }
    }
    return text.toString();
  }
}
