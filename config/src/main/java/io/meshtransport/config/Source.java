// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.Locale;

/** Where a value came from, weakest first: a later one hides an earlier one. */
public enum Source {
  /** Nobody set it. */
  DEFAULT("default"),
  /** A variable of the process's environment, as in {@code MESH_TIMEOUT_MS}. */
  ENVIRONMENT("environment"),
  /** A property of the JVM, as in {@code -Dmesh.timeout_ms=100}. */
  SYSTEM_PROPERTY("system property"),
  /** The map the program gave when it opened the transport. */
  EXPLICIT("given by the program");

  /** What the names of the system properties start with. */
  static final String PROPERTY_PREFIX = "mesh.";

  private final String label;

  Source(String label) {
    this.label = label;
  }

  /** How the table of effective values shows it. */
  public String label() {
    return label;
  }

  /** How this source spells a setting: {@code MESH_MTU}, or {@code mesh.mtu} as a property. */
  String spell(String settingName) {
    return this == SYSTEM_PROPERTY
        ? PROPERTY_PREFIX + settingName.substring(Setting.PREFIX.length()).toLowerCase(Locale.ROOT)
        : settingName;
  }
}
