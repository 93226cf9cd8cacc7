package io.meshtransport.verbs;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Zeroed memory outside the heap that a native call reads or writes, and where it is. It lives as
 * long as this object is reachable: whoever passes the address to a call keeps the block reachable
 * until the call is back.
 */
record NativeBlock(ByteBuffer bytes, long address) {
  static NativeBlock ofBytes(int count) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(count).order(ByteOrder.nativeOrder());
    return new NativeBlock(bytes, addressOf(bytes));
  }

  /** Where the first byte of a direct buffer lies, its position notwithstanding. */
  static long addressOf(ByteBuffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }
}
