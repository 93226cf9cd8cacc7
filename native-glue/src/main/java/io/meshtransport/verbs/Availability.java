// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.Objects;

/**
 * Whether something works on this host, with the reason in both cases.
 *
 * @param available whether it can be used
 * @param reason a sentence; where unavailable it says what is missing and what to do
 */
public record Availability(boolean available, String reason) {
  public Availability {
    Objects.requireNonNull(reason, "reason");
  }

  public static Availability yes(String reason) {
    return new Availability(true, reason);
  }

  public static Availability no(String reason) {
    return new Availability(false, reason);
  }
}
