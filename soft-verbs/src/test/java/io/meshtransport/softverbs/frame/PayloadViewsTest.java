// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bytes arrive unchanged and in their place, however many, and in either byte order of the buffers.
 *
 * <p>Also tests {@link SegmentOwner}.
 */
class PayloadViewsTest {
  /** Around each word's end, and around what is copied by words. */
  private static final int MAX_BYTES = 80;

  private static final int FROM = 3;
  private static final int TO = 5;

  private static ByteBuffer filled(String order) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(FROM + MAX_BYTES);
    for (int i = 0; i < bytes.capacity(); i++) {
      bytes.put(i, (byte) (i + 1));
    }
    return bytes.order(order.equals("big") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer empty() {
    return ByteBuffer.allocateDirect(TO + MAX_BYTES + 1);
  }

  private static void assertArrived(ByteBuffer target, int bytes) {
    for (int i = 0; i < target.capacity(); i++) {
      boolean isInside = i >= TO && i < TO + bytes;
      assertEquals(isInside ? i - TO + FROM + 1 : 0, target.get(i), bytes + " bytes, at " + i);
    }
  }

  @ParameterizedTest
  @CsvSource({"big", "little"})
  void shouldCopyOutAnyNumberOfBytes(String order) {
    for (int bytes = 0; bytes <= MAX_BYTES; bytes++) {
      PayloadViews views = new PayloadViews();
      views.add(filled(order).limit(FROM + bytes).position(FROM));
      ByteBuffer target = empty();
      assertEquals(bytes, views.copyTo(target, TO));
      assertArrived(target, bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({"big", "little"})
  void shouldCopyInAnyNumberOfBytes(String order) {
    for (int bytes = 0; bytes <= MAX_BYTES; bytes++) {
      PayloadViews views = new PayloadViews();
      ByteBuffer target = empty();
      views.add(target.limit(TO + bytes).position(TO));
      views.copyFrom(filled(order).limit(FROM + bytes).position(FROM));
      assertArrived(target.clear(), bytes);
    }
  }
}
