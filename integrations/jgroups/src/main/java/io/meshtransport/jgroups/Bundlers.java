package io.meshtransport.jgroups;

import org.jgroups.Version;

/** Which of JGroups' bundlers have a twin here that writes into registered memory. */
final class Bundlers {
  /** By its name alone: it cannot be loaded with JGroups 5.2. */
  private static final String PER_DESTINATION = "io.meshtransport.jgroups.RegisteredPerDestination";

  private Bundlers() {}

  /**
   * The bundler to take.
   *
   * @param type as a stack has it, or JGroups' default
   */
  static String registered(String type) {
    return switch (String.valueOf(type)) {
      case "transfer-queue", "tq" -> RegisteredTransferQueue.class.getName();
      case "per-destination", "pd", "pdb" ->
          Version.major > 5 || Version.minor >= 5 ? PER_DESTINATION : type;
      default -> type;
    };
  }
}
