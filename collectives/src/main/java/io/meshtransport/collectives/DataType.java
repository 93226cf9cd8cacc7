// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/** The type of the elements of a collective operation. In memory they are in native byte order. */
public enum DataType {
  /** IEEE 754 binary32: a {@code float}. */
  F32(4),
  /** IEEE 754 binary64: a {@code double}. */
  F64(8),
  /** A signed integer of 32 bits, which wraps around. */
  I32(4),
  /** A signed integer of 64 bits, which wraps around. */
  I64(8),
  /** A signed integer of 8 bits, which wraps around. */
  I8(1),
  /** An unsigned integer of 8 bits, which wraps around. */
  U8(1),
  /** IEEE 754 binary16. */
  F16(2),
  /** bfloat16: the upper half of a binary32. */
  BF16(2);

  private final int bytes;

  DataType(int bytes) {
    this.bytes = bytes;
  }

  /** Length of an element in bytes. */
  public int bytes() {
    return bytes;
  }
}
