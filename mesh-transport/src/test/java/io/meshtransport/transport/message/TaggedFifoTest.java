// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link TaggedFifo}. */
class TaggedFifoTest {
  private final TaggedFifo fifo = new TaggedFifo();

  private record Member(int number, int tag) {}

  @Test
  void shouldFindNothingWhileItIsEmpty() {
    assertEquals(TaggedFifo.NONE, fifo.find(0));
    assertEquals(TaggedFifo.NONE, fifo.oldest());
    assertFalse(fifo.contains(0));
    fifo.grow(2);
    fifo.add(1, 7);
    fifo.remove(1);
    assertEquals(TaggedFifo.NONE, fifo.find(7));
    assertEquals(0, fifo.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1 << 20, Integer.MAX_VALUE})
  void shouldAgreeWithAListOverRandomAdditionsAndRemovals(int tags) {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    Random random = new Random(seed);
    List<Member> model = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (step % 2_000 == 0) {
        fifo.grow(2 << step / 2_000);
      }
      int number = random.nextInt(fifo.capacity());
      boolean isThere = model.stream().anyMatch(each -> each.number() == number);
      assertEquals(isThere, fifo.contains(number), "seed " + seed);
      if (isThere) {
        fifo.remove(number);
        model.removeIf(each -> each.number() == number);
      } else {
        int tag = random.nextInt(tags) - tags / 2;
        fifo.add(number, tag);
        model.add(new Member(number, tag));
      }
      int tag = model.isEmpty() ? 0 : model.get(random.nextInt(model.size())).tag();
      assertEquals(oldestWith(model, tag), fifo.find(tag), "seed " + seed);
      assertEquals(oldestWith(model, tag + 1), fifo.find(tag + 1), "seed " + seed);
      assertEquals(model.size(), fifo.size());
    }
    assertEquals(model, members(), "seed " + seed);
  }

  private static int oldestWith(List<Member> model, int tag) {
    return model.stream()
        .filter(each -> each.tag() == tag)
        .mapToInt(Member::number)
        .findFirst()
        .orElse(TaggedFifo.NONE);
  }

  private List<Member> members() {
    List<Member> all = new ArrayList<>();
    for (int member = fifo.oldest(); member != TaggedFifo.NONE; member = fifo.next(member)) {
      all.add(new Member(member, fifo.tag(member)));
    }
    return all;
  }
}
