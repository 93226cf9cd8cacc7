// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The array forms of {@link OneOff}: arrays become buffers of native byte order, and come back. Has
 * no state.
 */
final class ArrayForms {
  private ArrayForms() {}

  static void allReduce(OneOff group, Object values, DataType type, Reduction op)
      throws CollectiveException {
    ByteBuffer bytes = bytes(values, type);
    group.allReduce(bytes, type, op);
    copy(bytes, values, type);
  }

  static void reduce(OneOff group, Object values, DataType type, Reduction op, int root)
      throws CollectiveException {
    ByteBuffer bytes = bytes(values, type);
    group.reduce(bytes, type, op, root);
    copy(bytes, values, type);
  }

  static void broadcast(OneOff group, Object values, DataType type, int root)
      throws CollectiveException {
    ByteBuffer bytes = bytes(values, type);
    group.broadcast(bytes, root);
    copy(bytes, values, type);
  }

  static void allGather(OneOff group, Object mine, Object all, DataType type)
      throws CollectiveException {
    ByteBuffer gathered = empty(all, type);
    group.allGather(bytes(mine, type), gathered);
    copy(gathered, all, type);
  }

  static void reduceScatter(OneOff group, Object all, Object mine, DataType type, Reduction op)
      throws CollectiveException {
    ByteBuffer reduced = empty(mine, type);
    group.reduceScatter(bytes(all, type), reduced, type, op);
    copy(reduced, mine, type);
  }

  static void allToAll(OneOff group, Object from, Object to, DataType type)
      throws CollectiveException {
    ByteBuffer exchanged = empty(to, type);
    group.allToAll(bytes(from, type), exchanged);
    copy(exchanged, to, type);
  }

  /** Elements of one of so many blocks. */
  static int block(int length, int size) {
    if (length % size != 0) {
      throw new IllegalArgumentException(
          length + " elements in " + size + " blocks: the number of ranks must divide them");
    }
    return length / size;
  }

  private static ByteBuffer empty(Object array, DataType type) {
    int length = java.lang.reflect.Array.getLength(array);
    return ByteBuffer.allocate(Math.multiplyExact(length, type.bytes()))
        .order(ByteOrder.nativeOrder());
  }

  private static ByteBuffer bytes(Object array, DataType type) {
    ByteBuffer bytes = empty(array, type);
    if (array instanceof float[] floats) {
      bytes.asFloatBuffer().put(floats);
    } else if (array instanceof double[] doubles) {
      bytes.asDoubleBuffer().put(doubles);
    } else if (array instanceof int[] ints) {
      bytes.asIntBuffer().put(ints);
    } else if (array instanceof long[] longs) {
      bytes.asLongBuffer().put(longs);
    } else {
      bytes.put(0, (byte[]) array);
    }
    return bytes;
  }

  private static void copy(ByteBuffer bytes, Object array, DataType type) {
    if (array instanceof float[] floats) {
      bytes.asFloatBuffer().get(floats);
    } else if (array instanceof double[] doubles) {
      bytes.asDoubleBuffer().get(doubles);
    } else if (array instanceof int[] ints) {
      bytes.asIntBuffer().get(ints);
    } else if (array instanceof long[] longs) {
      bytes.asLongBuffer().get(longs);
    } else {
      bytes.get(0, (byte[]) array);
    }
  }
}
