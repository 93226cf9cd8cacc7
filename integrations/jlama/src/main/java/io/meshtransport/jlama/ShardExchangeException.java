// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

/**
 * A shard has lost the others, so its forward pass cannot go on. Unchecked, since it passes through
 * Jlama.
 */
final class ShardExchangeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ShardExchangeException(String message, Throwable cause) {
    super(message, cause);
  }
}
