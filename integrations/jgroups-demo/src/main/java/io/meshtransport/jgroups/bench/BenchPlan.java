package io.meshtransport.jgroups.bench;

import java.util.List;

/**
 * What is measured, how often and how long.
 *
 * @param rounds of fresh JVMs for each side, 1 to 100
 * @param seconds each case is measured in each round, 1 to 600
 * @param warmUpSeconds each case runs before that, 1 to 600: JVMs compile the path meanwhile
 * @param threads of each member that send, 1 to 1000
 * @param readPercentage of UPerf's calls, 0 to 100
 * @param messageBytes payloads, each 8 bytes to 1 MiB
 * @param calibrates whether stock is measured against itself: what differs then is chance
 */
public record BenchPlan(
    int rounds,
    int seconds,
    int warmUpSeconds,
    int threads,
    int readPercentage,
    List<Integer> messageBytes,
    boolean calibrates) {
  public BenchPlan {
    messageBytes = List.copyOf(messageBytes);
    check("rounds", rounds, 1, 100);
    check("seconds", seconds, 1, 600);
    check("warm-up seconds", warmUpSeconds, 1, 600);
    check("threads", threads, 1, 1000);
    check("percentage of reads", readPercentage, 0, 100);
    messageBytes.forEach(bytes -> check("bytes of a message", bytes, 8, 1 << 20));
    if (messageBytes.isEmpty()) {
      throw new IllegalArgumentException("no size of messages");
    }
  }

  private static void check(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s: %d is outside %d..%d".formatted(what, value, least, most));
    }
  }

  Load load(int bytes) {
    return new Load(bytes, threads, readPercentage, seconds);
  }

  Side ours() {
    return calibrates ? Side.STOCK : Side.MESH;
  }
}
