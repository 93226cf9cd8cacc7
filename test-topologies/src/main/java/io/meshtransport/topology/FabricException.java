// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

/** The host would not do what a fabric needs, or a node did not do what it was told. */
public final class FabricException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FabricException(String message) {
    super(message);
  }

  public FabricException(String message, Throwable cause) {
    super(message, cause);
  }
}
