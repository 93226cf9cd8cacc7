// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions on a clock of the test's own, which begins anywhere, as that of the JVM does. */
class QueryRateLimiterTest {
  private static final int SEED = 42;
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private static InetAddress host(String address) throws UnknownHostException {
    return InetAddress.getByName(address);
  }

  /** Number of queries that are answered at one instant, before one is refused. */
  private static int drain(QueryRateLimiter limit, InetAddress remote, long nowNs) {
    int answered = 0;
    while (limit.tryAcquire(remote, nowNs)) {
      answered++;
      assertTrue(answered <= QueryRateLimiter.BURST, "no bound is met");
    }
    return answered;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5_000_000_000L, Long.MAX_VALUE - 1_000_000})
  void shouldAnswerABurstAndThenAsOftenAsItSays(long beginNs) throws Exception {
    QueryRateLimiter limit = new QueryRateLimiter(SEED, beginNs);
    InetAddress asker = host("10.0.1.2");

    assertEquals(QueryRateLimiter.PER_ADDRESS_BURST, drain(limit, asker, beginNs));
    assertEquals(QueryRateLimiter.PER_ADDRESS_PER_S, drain(limit, asker, beginNs + SECOND_NS));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5_000_000_000L})
  void shouldSaveNoMoreThanABurst(long beginNs) throws Exception {
    QueryRateLimiter limit = new QueryRateLimiter(SEED, beginNs);
    InetAddress asker = host("10.0.1.2");

    drain(limit, asker, beginNs);
    long dayLaterNs = beginNs + TimeUnit.DAYS.toNanos(1);
    assertEquals(QueryRateLimiter.PER_ADDRESS_BURST, drain(limit, asker, dayLaterNs));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.1.3", "fd00::1"})
  void shouldAnswerOthersWhileOneQueriesTooOften(String other) throws Exception {
    QueryRateLimiter limit = new QueryRateLimiter(SEED, 0);
    drain(limit, host("10.0.1.2"), 0);

    assertTrue(limit.tryAcquire(host(other), 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 7_000_000_000L})
  void shouldBoundAllHostsTogether(long beginNs) throws Exception {
    QueryRateLimiter limit = new QueryRateLimiter(SEED, beginNs);
    int answered = 0;
    for (int i = 0; i < 256; i++) {
      answered += drain(limit, host("10.0.2." + i), beginNs);
    }
    assertEquals(QueryRateLimiter.BURST, answered);

    // One who is refused for the sake of all loses nothing of his own.
    InetAddress late = host("10.0.3.1");
    assertFalse(limit.tryAcquire(late, beginNs));
    assertEquals(QueryRateLimiter.PER_ADDRESS_BURST, drain(limit, late, beginNs + SECOND_NS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fd00:0:0:1::2", "fd00:0:0:1:ffff::"})
  void shouldTreatANetworkOfIpv6AsOneHost(String neighbour) throws Exception {
    QueryRateLimiter limit = new QueryRateLimiter(SEED, 0);
    drain(limit, host("fd00:0:0:1::1"), 0);

    assertFalse(limit.tryAcquire(host(neighbour), 0));
    assertTrue(limit.tryAcquire(host("fd00:0:0:2::1"), 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fe80::2", "fe80::1:1"})
  void shouldDistinguishLinkLocalNeighbours(String neighbour) throws Exception {
    QueryRateLimiter limit = new QueryRateLimiter(SEED, 0);
    drain(limit, host("fe80::1"), 0);

    assertTrue(limit.tryAcquire(host(neighbour), 0));
  }
}
