// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The TCP port on which a device in software receives data; adapters have none.
 *
 * @param number 0 to 65535; 0 lets the kernel choose
 * @param isRequired whether opening fails if the port is in use; otherwise the kernel chooses
 *     another one then
 */
public record WirePort(int number, boolean isRequired) {
  /** Whichever is free. */
  public static final WirePort ANY = new WirePort(0, false);

  public WirePort {
    if (number < 0 || number > 0xFFFF) {
      throw new IllegalArgumentException("TCP port " + number + " is outside 0..65535");
    }
  }
}
