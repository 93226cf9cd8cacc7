// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Which TCP port a device in software is to take data on; adapters have none.
 *
 * @param number 0 to 65535; 0 lets the kernel choose
 * @param isRequired whether the device does without rather than with another; else the kernel
 *     chooses where this one is taken
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
