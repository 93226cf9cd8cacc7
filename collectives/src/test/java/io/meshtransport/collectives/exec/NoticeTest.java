// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * {@link Notice}, {@link PutTag}, {@link Region}, {@link StreamPlan}, {@link TreeProgram} and
 * {@link FloodProgram}, each a {@link Program}, {@link OrderedProgram}, {@link Blueprint} as
 * values; {@link Local} and {@link Peers} have nothing to test.
 */
class NoticeTest {
  @Test
  void shouldPackAllFields() {
    for (int kind : new int[] {Notice.UP, Notice.DOWN, Notice.CREDIT, Notice.READY}) {
      int notice = Notice.of(kind, 63, 4095, 4094);
      assertEquals(kind, Notice.kind(notice));
      assertEquals(63, Notice.count(notice));
      assertEquals(4095, Notice.stream(notice));
      assertEquals(4094, Notice.operation(notice));
    }
    assertEquals(0xC1002003, Notice.of(Notice.READY, 1, 2, 3));
    long tag = PutTag.of(4095, 4094, PutTag.NOTE);
    assertEquals(4095, PutTag.operation(tag));
    assertEquals(4094, PutTag.stream(tag));
    assertEquals(PutTag.NOTE, PutTag.way(tag));
  }

  @Test
  void shouldKnowItsBytes() {
    FakeMemory memory = new FakeMemory(100);
    Region region = new Region(memory, 10, 20);
    assertEquals(15, region.at(5));
    assertTrue(region.overlaps(new Region(memory, 29, 1)));
    assertFalse(region.overlaps(new Region(memory, 30, 1)));
    assertTrue(region.beginsWith(new Region(memory, 10, 1)));
    assertTrue(region.isAligned(8));
    assertThrows(IllegalArgumentException.class, () -> new Region(memory, 90, 11));
    assertThrows(IllegalArgumentException.class, () -> new Region(memory, -1, 1));
  }

  private static StreamPlan stream(int... parents) {
    return new StreamPlan(parents, true, true, StreamPlan.EVERY_RANK, 0, 0, 10);
  }

  @Test
  void shouldRefuseWhatIsNoTree() {
    assertThrows(IllegalArgumentException.class, () -> stream(-1, -1));
    assertThrows(IllegalArgumentException.class, () -> stream(1, 0));
    assertThrows(IllegalArgumentException.class, () -> stream(-1, -2, 1));
    StreamPlan line = stream(-1, 0, 1);
    assertEquals(2, line.depth());
    assertTrue(line.isRaw(2));
    assertFalse(line.isRaw(1));
  }

  @Test
  void shouldKeepRingsApart() {
    TreeProgram program = new TreeProgram(List.of(stream(-1, 0, 0), stream(1, -1, 1)), 4);
    Arithmetic none = Arithmetic.none(4);
    assertEquals(3, program.chunks(stream(-1, 0, 0)));
    assertEquals(6, program.ringSlots(stream(-1, 0, 0)));
    assertEquals(0, program.ringBytes(0, 0, 1, none));
    assertEquals(6 * 64, program.ringBytes(0, 0, 2, none));
    assertEquals(12 * 64, program.scratchBytes(0, none));
    assertEquals(12 * 64, program.scratchBytes(1, none));
    assertEquals(0, program.scratchBytes(2, none));
    assertTrue(new Blueprint(program, "").writesResults(2));
    assertTrue(program.isInRankOrder());
    assertFalse(new TreeProgram(List.of(stream(-1, 0, 1)), 4).isInRankOrder());
    assertThrows(NullPointerException.class, () -> new Blueprint(null, ""));
  }

  @Test
  void shouldCutShortStreamsIntoAsManyChunksAsLongOnes() {
    StreamPlan longest = streamOf(70_000);
    StreamPlan shorter = streamOf(10_000);
    StreamPlan least = streamOf(500);
    TreeProgram program = new TreeProgram(List.of(longest, shorter, least), 4096);
    assertEquals(4096, program.chunkElements(longest));
    assertEquals(18, program.chunks(longest));
    assertEquals(640, program.chunkElements(shorter));
    assertEquals(16, program.chunks(shorter));
    assertEquals(320, program.chunkElements(least), "not shorter than a sixteenth, in cache lines");
    assertEquals(320 * 4, program.slotBytes(least, 1, Arithmetic.none(4)));
    TreeProgram few = new TreeProgram(List.of(streamOf(4000), shorter, least), 10_000);
    assertEquals(10_000, few.chunkElements(least), "one chunk of each");
  }

  private static StreamPlan streamOf(long elements) {
    return new StreamPlan(new int[] {-1, 0}, true, true, StreamPlan.EVERY_RANK, 0, 0, elements);
  }

  @Test
  void shouldHaveTwoSlotsForEachRank() {
    FloodProgram program =
        new FloodProgram(
            List.of(new int[] {-1, 0}, new int[] {1, -1}), 3, FloodProgram.Ending.REDUCE);
    Arithmetic none = Arithmetic.none(4);
    assertEquals(64, program.slotAt(2, 1, none));
    assertEquals(128, program.slotAt(3, 0, none));
    assertEquals(320, program.scratchBytes(0, none));
  }

  @Test
  void shouldGiveEachRankABlock() {
    OrderedProgram program =
        Schedules.ordered(
            new BreadthFirstRoutes(3, new Random(1)), OrderedProgram.Ending.TO_ALL, -1, 100, 4, 7);
    assertEquals(List.of(0L, 33L, 66L, 100L), program.begins());
    Arithmetic none = Arithmetic.none(4);
    assertEquals(34, program.elements(2));
    assertEquals(66 * 4, program.blockAt(2, none));
    assertEquals(2 * 192, program.slotAt(2, none));
    assertEquals(program.operandsAt(1, none) + 3 * 192, program.scratchBytes(1, none));
    assertTrue(program.isInRankOrder() && program.writesResults(0));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new OrderedProgram(
                program.trees(), 1000, program.begins(), OrderedProgram.Ending.TO_ALL));
  }
}
