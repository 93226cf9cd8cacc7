// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

/**
 * A setting has a value that cannot be used. The text has the setting's name in its source, the
 * value (unless it is a secret), the source and the bounds. A retry cannot help: the value must
 * change.
 */
public final class ConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String variable;
  private final Source source;

  ConfigException(String variable, Source source, String message, Exception cause) {
    super(message, cause);
    this.variable = variable;
    this.source = source;
  }

  /** Name of the setting in the environment, as in {@code MESH_MTU}, whatever its source. */
  public String variable() {
    return variable;
  }

  /** Where the value came from. */
  public Source source() {
    return source;
  }
}
