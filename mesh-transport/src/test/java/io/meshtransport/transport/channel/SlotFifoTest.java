// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link SlotFifo}. */
class SlotFifoTest {
  private final SlotFifo fifo = new SlotFifo();

  @Test
  void shouldGiveBackInOrderWhatItGot() {
    for (int round = 0; round < 3; round++) {
      for (int value = 0; value < 4096; value++) {
        fifo.add(value);
      }
      assertEquals(4096, fifo.size());
      for (int value = 0; value < 4096; value++) {
        assertEquals(value, fifo.removeAt(0));
      }
      assertEquals(0, fifo.size());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 20, 300})
  void shouldAgreeWithAListOverRandomSteps(int most) {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    Random random = new Random(seed);
    List<Integer> model = new ArrayList<>();
    for (int step = 0; step < 10_000; step++) {
      int value = random.nextInt(50);
      int position = model.isEmpty() ? 0 : random.nextInt(model.size());
      switch (random.nextInt(model.size() < most ? 8 : 4)) {
        case 0 -> {
          if (!model.isEmpty()) {
            assertEquals(model.remove(position), fifo.removeAt(position));
          }
        }
        case 1 -> {
          fifo.removeFirst(position);
          model.subList(0, position).clear();
        }
        case 2 -> {
          fifo.remove(value);
          model.remove((Integer) value);
        }
        case 3 -> {
          if (random.nextInt(20) == 0) {
            fifo.clear();
            model.clear();
          }
        }
        case 4 -> {
          fifo.addFirst(value);
          model.add(0, value);
        }
        default -> {
          fifo.add(value);
          model.add(value);
        }
      }
      assertEquals(model.size(), fifo.size());
      assertEquals(model.indexOf(value), fifo.position(value));
      assertEquals(
          model, IntStream.range(0, fifo.size()).mapToObj(fifo::get).toList(), "seed " + seed);
    }
  }
}
