// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Addresses of direct buffers, and buffers over addresses. Java 17 has no other way to them than
 * native code or sun.misc.Unsafe, which a test double may use. Stateless.
 */
final class InMemoryAddress {
  private static final Object UNSAFE = unsafe();
  private static final Method GET_LONG = method("getLong", Object.class, long.class);
  private static final Method PUT_LONG = method("putLong", Object.class, long.class, long.class);
  private static final Method PUT_INT = method("putInt", Object.class, long.class, int.class);
  private static final long ADDRESS = offsetOf("address");
  private static final long CAPACITY = offsetOf("capacity");

  private InMemoryAddress() {}

  static long of(ByteBuffer direct) {
    return (long) call(GET_LONG, direct, ADDRESS);
  }

  static ByteBuffer bufferAt(long address, int lengthBytes) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(0);
    call(PUT_LONG, buffer, ADDRESS, address);
    call(PUT_INT, buffer, CAPACITY, lengthBytes);
    return buffer.clear();
  }

  private static Object unsafe() {
    try {
      Field only = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
      only.setAccessible(true);
      return only.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static Method method(String name, Class<?>... parameters) {
    try {
      return UNSAFE.getClass().getMethod(name, parameters);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static long offsetOf(String field) {
    try {
      return (long)
          call(method("objectFieldOffset", Field.class), Buffer.class.getDeclaredField(field));
    } catch (NoSuchFieldException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static Object call(Method method, Object... arguments) {
    try {
      return method.invoke(UNSAFE, arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(method + " cannot be called", e);
    }
  }
}
