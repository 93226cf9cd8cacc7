// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongToIntFunction;
import java.util.function.LongUnaryOperator;

/**
 * Zeroed memory outside the heap that a native call reads or writes, with its address. It lives as
 * long as this object is reachable, and the collector does not know the address: a block for one
 * call is passed with {@link #during}, which keeps it reachable until the call returns.
 */
public record NativeBlock(ByteBuffer bytes, long address) {
  public static NativeBlock ofBytes(int count) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(count).order(ByteOrder.nativeOrder());
    return new NativeBlock(bytes, addressOf(bytes));
  }

  /** Makes a call with the address, and keeps the block reachable until it returns. */
  public int during(LongToIntFunction call) {
    try {
      return call.applyAsInt(address);
    } finally {
      Reference.reachabilityFence(bytes);
    }
  }

  /** The same for a call that answers a pointer, or another 64 bits. */
  public long duringLong(LongUnaryOperator call) {
    try {
      return call.applyAsLong(address);
    } finally {
      Reference.reachabilityFence(bytes);
    }
  }

  /** Where the first byte of a direct buffer lies, its position notwithstanding. */
  public static long addressOf(ByteBuffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }
}
