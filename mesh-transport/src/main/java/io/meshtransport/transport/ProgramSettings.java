// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.Setting;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The settings that a program has given a transport, its secret included, for its mesh. No
 * toString: they are for no log.
 */
final class ProgramSettings {
  private static final Set<String> SECRETS =
      Set.of(Setting.SECRET.name(), Setting.SECRET_FILE.name());

  private final Map<String, String> given;

  private ProgramSettings(Map<String, String> given) {
    this.given = given;
  }

  /**
   * @param given null values are no settings
   */
  static ProgramSettings of(Map<String, String> given) {
    Map<String, String> copy = new HashMap<>(given);
    copy.values().removeIf(value -> value == null);
    return new ProgramSettings(copy);
  }

  /**
   * These, or those of the other where it has them: a blank value is none, but that of a secret,
   * which is refused later. A secret overrides a file with one, and the reverse.
   */
  Map<String, String> overriddenBy(Map<String, String> other) {
    Map<String, String> all = new HashMap<>(given);
    if (SECRETS.stream().anyMatch(other::containsKey)) {
      all.keySet().removeAll(SECRETS);
    }
    other.forEach(
        (name, value) -> {
          if (value != null && (!value.isBlank() || SECRETS.contains(name))) {
            all.put(name, value);
          }
        });
    return all;
  }
}
