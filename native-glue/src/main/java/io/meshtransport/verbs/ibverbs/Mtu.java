// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

/** Codes of enum ibv_mtu: 1 is 256 bytes, each next one twice as many, 5 is 4096. */
final class Mtu {
  private static final int BYTES_OF_CODE_0 = 128;

  private Mtu() {}

  static int ofCode(int code) {
    return BYTES_OF_CODE_0 << code;
  }

  static int toCode(int bytes) {
    return Integer.numberOfTrailingZeros(bytes / BYTES_OF_CODE_0);
  }
}
