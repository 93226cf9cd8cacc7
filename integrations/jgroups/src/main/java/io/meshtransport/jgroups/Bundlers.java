// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import org.jgroups.Version;

/** Which of JGroups' bundlers have a counterpart here that writes into registered memory. */
final class Bundlers {
  /** By its name alone: it cannot be loaded with JGroups 5.2. */
  private static final String PER_DESTINATION = "io.meshtransport.jgroups.RegisteredPerDestination";

  private static final int MAJOR = 5;

  /** The newest JGroups whose bundlers' internals were read: those of later versions may differ. */
  private static final int LAST_MINOR = 5;

  private Bundlers() {}

  /**
   * The bundler to use.
   *
   * @param type as configured in a stack, or JGroups' default
   */
  static String registered(String type) {
    return registered(type, Version.major, Version.minor);
  }

  /** The same with a version of JGroups. */
  static String registered(String type, int major, int minor) {
    if (major != MAJOR || minor > LAST_MINOR) {
      return type;
    }
    return switch (String.valueOf(type)) {
      case "transfer-queue", "tq" -> RegisteredTransferQueue.class.getName();
      case "per-destination", "pd", "pdb" -> minor >= 5 ? PER_DESTINATION : type;
      default -> type;
    };
  }
}
