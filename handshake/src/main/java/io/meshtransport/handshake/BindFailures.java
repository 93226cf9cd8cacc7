// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.nic.ScopedAddress;
import java.net.BindException;
import java.net.Inet6Address;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which addresses could not be listened on, and when that is worth a warning: of an IPv6 address
 * not before its duplicate detection must be over, for until then the kernel refuses it. Confined
 * to the event loop.
 */
final class BindFailures {
  /**
   * Failures in a row of an IPv6 address without a warning: at four a second, more than the second
   * of duplicate detection and the second that it may be delayed by (RFC 4862, section 5.4).
   */
  static final int QUIET = 12;

  /** Failures in a row. */
  private final Map<ScopedAddress, Integer> counts = new HashMap<>();

  /** Whether one more failure is to be warned of: once until the address works or is gone. */
  boolean isNews(ScopedAddress address, Throwable failure) {
    int count = counts.merge(address, 1, Integer::sum);
    boolean mayPass =
        address.address() instanceof Inet6Address
            && PlainCause.of(failure) instanceof BindException;
    return count == (mayPass ? QUIET + 1 : 1);
  }

  /** The address is listened on. */
  void passed(ScopedAddress address) {
    counts.remove(address);
  }

  /** No other addresses are wanted any more. */
  void retain(Set<ScopedAddress> wanted) {
    counts.keySet().retainAll(wanted);
  }
}
