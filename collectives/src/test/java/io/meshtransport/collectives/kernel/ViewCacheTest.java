// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class ViewCacheTest {
  private final ViewCache<ByteBuffer> cache = new ViewCache<>(ByteBuffer::slice);

  @Test
  void shouldTellBuffersApartByIdentityAndStart() {
    ByteBuffer one = ByteBuffer.allocate(8);
    ByteBuffer equal = ByteBuffer.allocate(8);

    ByteBuffer view = cache.of(one, 1);

    assertSame(view, cache.of(one, 1));
    assertNotSame(view, cache.of(equal, 1));
    assertNotSame(view, cache.of(one, 2));
  }

  @Test
  void shouldViewAllFromTheStartInNativeOrderWhateverThePosition() {
    ByteBuffer buffer = ByteBuffer.allocate(8).position(5).limit(6);
    ByteOrder[] order = new ByteOrder[1];
    ViewCache<ByteBuffer> noting =
        new ViewCache<>(
            duplicate -> {
              order[0] = duplicate.order();
              return duplicate.slice();
            });

    assertEquals(5, noting.of(buffer, 3).capacity());
    assertEquals(ByteOrder.nativeOrder(), order[0]);
    assertEquals(5, buffer.position());
  }

  @Test
  void shouldForgetTheOldestOnly() {
    ByteBuffer first = ByteBuffer.allocate(1);
    ByteBuffer second = ByteBuffer.allocate(1);
    ByteBuffer viewOfFirst = cache.of(first, 0);
    ByteBuffer viewOfSecond = cache.of(second, 0);
    for (int i = 0; i < ViewCache.ENTRIES - 1; i++) {
      cache.of(ByteBuffer.allocate(1), 0);
    }

    assertSame(viewOfSecond, cache.of(second, 0));
    assertNotSame(viewOfFirst, cache.of(first, 0));
  }
}
