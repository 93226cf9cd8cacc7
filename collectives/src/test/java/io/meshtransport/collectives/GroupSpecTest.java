// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@link GroupSpec}, {@link CollectiveOptions}, {@link Rendezvous}, {@link CollectiveException},
 * and that a {@link Reducer} and a {@link ReduceOp} are a {@link Reduction} whose names are
 * compared ({@link Precision}, {@link ArrayForms} and {@link GroupProvider} are used by groups).
 */
class GroupSpecTest {
  @Test
  void shouldRefuseWhatIsNoGroup() {
    assertThrows(IllegalArgumentException.class, () -> GroupSpec.named(""));
    assertThrows(IllegalArgumentException.class, () -> GroupSpec.named("a b"));
    assertThrows(IllegalArgumentException.class, () -> GroupSpec.named("x".repeat(25)));
    assertThrows(IllegalArgumentException.class, () -> GroupSpec.named("x").size(0));
    assertThrows(IllegalArgumentException.class, () -> GroupSpec.named("x").size(65));
    assertThrows(IllegalArgumentException.class, () -> GroupSpec.named("x").members("a", "a"));
    assertEquals(2, GroupSpec.named("x").members("b", "a").size());
    assertEquals("c", GroupSpec.named("x").size(3).member("c").member());
  }

  @Test
  void shouldCopyOptions() {
    CollectiveOptions fast = CollectiveOptions.DEFAULT.precision(Precision.FAST);
    assertEquals(Precision.FAST, fast.prepareTimeout(Duration.ofSeconds(1)).precision());
    assertThrows(IllegalArgumentException.class, () -> fast.prepareTimeout(Duration.ZERO));
  }

  @Test
  void shouldKeepHandles() {
    Rendezvous here = Rendezvous.inProcess();
    here.publish("a", new byte[] {1});
    assertEquals(List.of("a"), here.members());
    assertArrayEquals(new byte[] {1}, here.handle("a").orElseThrow());
    assertEquals(true, here.handle("b").isEmpty());
  }

  @Test
  void shouldDivideIntoBlocks() {
    assertEquals(2, ArrayForms.block(6, 3));
    assertThrows(IllegalArgumentException.class, () -> ArrayForms.block(7, 3));
  }

  @Test
  void shouldCopyFailures() {
    CollectiveException lost =
        new CollectiveException(CollectiveException.Reason.RANK_LOST, 1, "b", "gone");
    CollectiveException copy = lost.copy();
    assertEquals("b", copy.node());
    assertEquals(lost, copy.getCause());
    assertEquals(CollectiveException.class.getName() + ": RANK_LOST: gone", copy.toString());
  }
}
