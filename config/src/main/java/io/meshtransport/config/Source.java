// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.Locale;

/** Where a value came from, weakest first: a later one overrides an earlier one. */
public enum Source {
  /** No source sets it. */
  DEFAULT("default"),
  /** A variable of the process's environment, as in {@code MESH_TIMEOUT_MS}. */
  ENVIRONMENT("environment"),
  /** A property of the JVM, as in {@code -Dmesh.timeout_ms=100}. */
  SYSTEM_PROPERTY("system property"),
  /** The map that the program gave to open. */
  EXPLICIT("given by the program");

  /** Prefix of the names of system properties. */
  static final String PROPERTY_PREFIX = "mesh.";

  private final String label;

  Source(String label) {
    this.label = label;
  }

  /** Name of this source in tables and texts. */
  public String label() {
    return label;
  }

  /** A setting's name in this source: {@code MESH_MTU}, or {@code mesh.mtu} as a property. */
  String spell(String settingName) {
    return this == SYSTEM_PROPERTY
        ? PROPERTY_PREFIX + settingName.substring(Setting.PREFIX.length()).toLowerCase(Locale.ROOT)
        : settingName;
  }
}
