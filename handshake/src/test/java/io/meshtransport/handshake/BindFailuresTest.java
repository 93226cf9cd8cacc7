// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.ScopedAddress;
import java.io.IOException;
import java.net.BindException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BindFailuresTest {
  private static final ScopedAddress IPV4 = address("10.0.1.1");
  private static final ScopedAddress IPV6 = address("fd00:1::1");
  private static final Exception REFUSED = new BindException("Cannot assign requested address");

  private final BindFailures failures = new BindFailures();

  private static ScopedAddress address(String text) {
    return ScopedAddress.of(AddressText.parse(text));
  }

  private void failQuietly() {
    for (int i = 0; i < BindFailures.QUIET; i++) {
      assertFalse(failures.isNews(IPV6, REFUSED), "failure " + i);
    }
  }

  @Test
  void shouldWarnOfAnIpv6AddressOnceItsDuplicateDetectionMustBeOver() {
    failQuietly();
    assertTrue(failures.isNews(IPV6, REFUSED));
    assertFalse(failures.isNews(IPV6, REFUSED), "once");
  }

  @Test
  void shouldBeginAnewWhenTheAddressWorkedOrWasGone() {
    failQuietly();
    failures.passed(IPV6);
    failQuietly();
    failures.retain(Set.of(IPV4));
    failQuietly();
  }

  @Test
  void shouldWarnAtOnceOfWhatDoesNotPass() {
    assertTrue(failures.isNews(IPV4, REFUSED));
    assertFalse(failures.isNews(IPV4, REFUSED));
    assertTrue(failures.isNews(IPV6, new IOException("Too many open files")));
  }
}
