// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What fails a group fails it on every rank, by {@link LocalRank}, with one text; of what ranks
 * tell each other in turns, by {@link RecordRounds}.
 */
@Tag("slow")
class FailuresTest {
  /** On a host where a rank may miss the moment at which the others report. */
  private static final int ATTEMPTS = 5;

  /** The first is enough on an idle host. */
  private static final int[] GIVE_UP_MS = {500, 3_000, 10_000};

  private static CollectiveException failure(LoopbackGroup.Step<?> step, Group group) {
    return assertThrows(CollectiveException.class, () -> step.run(group));
  }

  /** What each of three members gets that join with a specification of its own. */
  private static List<CollectiveException> failuresToJoin(
      LoopbackGroup mesh, IntFunction<GroupSpec> spec, Duration timeout) throws Exception {
    Rendezvous rendezvous = Rendezvous.inProcess();
    return mesh.all(
        3,
        index ->
            assertThrows(
                CollectiveException.class,
                () ->
                    Group.join(
                        mesh.transports.get(index), spec.apply(index), rendezvous, timeout)));
  }

  private static List<CollectiveException> failures(
      LoopbackGroup loopback, LoopbackGroup.Step<?> step) throws Exception {
    return loopback.together(group -> failure(step, group));
  }

  @Test
  void shouldFailEveryRankWithBothTextsOfAMismatch() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      List<CollectiveException> all =
          failures(
              line,
              group -> {
                group.allReduce(new float[group.rank() == 2 ? 3 : 4], ReduceOp.SUM);
                return null;
              });
      for (CollectiveException each : all) {
        assertEquals(Reason.MISMATCH, each.reason());
        assertEquals(2, each.rank());
        assertEquals("node-c", each.node());
        assertTrue(each.getMessage().contains("all-reduce of 4 F32, SUM"), each.getMessage());
        assertTrue(each.getMessage().contains("all-reduce of 3 F32, SUM"), each.getMessage());
      }
    }
  }

  /** What one rank does in place of the others' sum, once all has been prepared. */
  private enum Other {
    OPERATION("runs all-reduce of 4 F32, MAX") {
      @Override
      void run(Group group, Collective sum, Collective max) throws CollectiveException {
        max.run(LoopbackGroup.SOON);
      }
    },
    PREPARATION("prepares all-reduce of 3 F32, SUM") {
      @Override
      void run(Group group, Collective sum, Collective max) throws CollectiveException {
        group.allReduce(new float[3], ReduceOp.SUM);
      }
    },
    SPLIT("splits the group") {
      @Override
      void run(Group group, Collective sum, Collective max) throws CollectiveException {
        group.split(0, 0, LoopbackGroup.SOON);
      }
    };

    private final String text;

    Other(String text) {
      this.text = text;
    }

    abstract void run(Group group, Collective sum, Collective max) throws CollectiveException;
  }

  /** Known at the first deadline: what is prepared has a number, and that is all that is sent. */
  @ParameterizedTest
  @EnumSource(Other.class)
  void shouldFailEveryRankWithBothTextsWhereOneDoesAnotherOfWhatIsPrepared(Other other)
      throws Exception {
    List<CollectiveException> all = failuresWhereOneDoes(other);
    for (int i = 1; i < ATTEMPTS && isSilent(all); i++) {
      all = failuresWhereOneDoes(other);
    }
    for (CollectiveException each : all) {
      assertEquals(Reason.MISMATCH, each.reason(), each.getMessage());
      assertEquals(2, each.rank(), each.getMessage());
      assertTrue(each.getMessage().startsWith("all-reduce of 4 F32, SUM"), each.getMessage());
      assertTrue(each.getMessage().contains("rank 2 (node-c) " + other.text), each.getMessage());
    }
  }

  /** A thread that was off its processor when the others reported is not known to wait. */
  private static boolean isSilent(List<CollectiveException> all) {
    return all.stream().anyMatch(each -> each.getMessage().contains("reported nothing"));
  }

  private static List<CollectiveException> failuresWhereOneDoes(Other other) throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      return failures(
          line,
          group -> {
            RegisteredMemory memory = group.allocate(16);
            Collective sum =
                group.allReduce(
                    memory, 0, 4, DataType.F32, ReduceOp.SUM, CollectiveOptions.DEFAULT);
            Collective max =
                group.allReduce(
                    memory, 0, 4, DataType.F32, ReduceOp.MAX, CollectiveOptions.DEFAULT);
            sum.run(LoopbackGroup.SOON);
            if (group.rank() == 2) {
              other.run(group, sum, max);
            } else {
              sum.run(Duration.ofSeconds(2));
            }
            return null;
          });
    }
  }

  /** {@link RoundKind} tells them apart, whatever the bytes of a color look like. */
  @Test
  void shouldFailEveryRankWhenOneSplitsAndOthersPrepare() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(3)) {
      List<CollectiveException> all =
          failures(
              mesh,
              group -> {
                if (group.rank() == 1) {
                  group.split(1000, 0, LoopbackGroup.SOON).close();
                } else {
                  group.barrier();
                }
                return null;
              });
      for (CollectiveException each : all) {
        assertEquals(Reason.MISMATCH, each.reason(), each.getMessage());
        assertEquals(1, each.rank());
        assertTrue(each.getMessage().contains("rank 1 (node-b) splits"), each.getMessage());
        assertTrue(each.getMessage().contains("rank 0 (node-a) prepares"), each.getMessage());
      }
    }
  }

  @Test
  void shouldFailEveryRankWhenOneAborts() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      List<CollectiveException> all =
          failures(
              line,
              group -> {
                if (group.rank() == 2) {
                  group.abort("no more data");
                }
                group.barrier();
                return null;
              });
      for (CollectiveException each : all) {
        assertEquals(Reason.ABORTED, each.reason());
        assertEquals(2, each.rank());
        assertTrue(each.getMessage().contains("no more data"), each.getMessage());
      }
    }
  }

  /** Throws where it folds: with three ranks on a line, in the middle. */
  private static final class Failing implements Reducer {
    @Override
    public int elementBytes() {
      return 4;
    }

    @Override
    public void reduce(ByteBuffer accumulator, ByteBuffer operand) {
      throw new IllegalStateException("cannot fold");
    }
  }

  @Test
  void shouldFailEveryRankWhenAReducerThrows() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      List<CollectiveException> all =
          failures(
              line,
              group -> {
                group.allReduce(new float[100_000], new Failing());
                return null;
              });
      for (CollectiveException each : all) {
        assertEquals(Reason.ABORTED, each.reason());
        assertTrue(each.getMessage().contains("cannot fold"), each.getMessage());
      }
    }
  }

  @Test
  void shouldFailEveryRankAtTheDeadlineOfOne() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      List<Collective> barriers = line.together(group -> group.barrier(CollectiveOptions.DEFAULT));
      List<CollectiveException> all =
          line.all(
              2,
              rank ->
                  assertThrows(
                      CollectiveException.class,
                      () ->
                          barriers
                              .get(rank)
                              .run(rank == 0 ? Duration.ofMillis(300) : LoopbackGroup.SOON)));
      for (CollectiveException each : all) {
        assertEquals(Reason.TIMED_OUT, each.reason());
        // Of rank 2 rank 0 knows by the report of rank 1, unless that was off its processor.
        String culprit = each.rank() == 2 ? "rank 2 (node-c)" : "rank 1 (node-b)";
        assertTrue(each.getMessage().contains(culprit), each.getMessage());
      }
      Collective late = barriers.get(2);
      // The others have started the first run, so it may complete here; the second cannot.
      CollectiveException last =
          assertThrows(
              CollectiveException.class,
              () -> {
                late.run(LoopbackGroup.SOON);
                late.run(LoopbackGroup.SOON);
              });
      assertEquals(Reason.TIMED_OUT, last.reason());
    }
  }

  @Test
  void shouldWaitForOneThatIsLate() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(3)) {
      List<Collective> barriers = mesh.together(group -> group.barrier(CollectiveOptions.DEFAULT));
      CountDownLatch waitedInVain = new CountDownLatch(2);
      mesh.together(
          group -> {
            Collective barrier = barriers.get(group.rank());
            if (group.rank() == 1) {
              assertTrue(waitedInVain.await(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS));
              barrier.start(Collective.NO_DEADLINE);
            } else {
              barrier.start(Collective.NO_DEADLINE);
              assertFalse(barrier.await(Duration.ofMillis(100)));
              waitedInVain.countDown();
            }
            assertTrue(barrier.await(LoopbackGroup.SOON));
            return null;
          });
    }
  }

  @Test
  void shouldGoOnWithoutARankThatIsGone() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(4)) {
      mesh.together(
          group -> {
            group.barrier();
            return null;
          });
      mesh.transports.get(1).close();
      List<String> sums =
          mesh.all(
              4,
              rank -> {
                Group group = mesh.groups.get(rank);
                if (rank == 1) {
                  return "gone";
                }
                CollectiveException lost =
                    failure(
                        each -> {
                          each.barrier();
                          return null;
                        },
                        group);
                assertEquals(1, lost.rank(), lost.getMessage());
                assertEquals("node-b", lost.node());
                try (Group rest = group.without(lost.rank(), LoopbackGroup.SOON)) {
                  int[] one = {1};
                  rest.allReduce(one, ReduceOp.SUM);
                  return rest.names() + " " + rest.rank() + " " + rest.epoch() + " " + one[0];
                }
              });
      assertEquals(
          List.of(
              "[node-a, node-c, node-d] 0 1 3",
              "gone",
              "[node-a, node-c, node-d] 1 1 3",
              "[node-a, node-c, node-d] 2 1 3"),
          sums);
    }
  }

  @Test
  void shouldFailRunsOfOthersWhenOneLeaves() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      List<Collective> barriers = line.together(group -> group.barrier(CollectiveOptions.DEFAULT));
      line.all(
          3,
          rank -> {
            if (rank == 2) {
              line.groups.get(2).close();
              return null;
            }
            CollectiveException left =
                assertThrows(
                    CollectiveException.class, () -> barriers.get(rank).run(LoopbackGroup.SOON));
            assertEquals(Reason.ABORTED, left.reason(), left.getMessage());
            assertEquals(2, left.rank());
            return null;
          });
    }
  }

  /** The others wait for what it would pass on, and for what it has. */
  @Test
  void shouldFailTheRunThatARankLeavesIn() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      List<Collective> barriers = line.together(group -> group.barrier(CollectiveOptions.DEFAULT));
      barriers.get(1).start(Collective.NO_DEADLINE);
      line.groups.get(1).close();
      for (int rank : List.of(0, 2)) {
        CollectiveException left =
            assertThrows(
                CollectiveException.class,
                () -> {
                  barriers.get(rank).run(LoopbackGroup.SOON);
                  barriers.get(rank).run(LoopbackGroup.SOON);
                });
        assertEquals(Reason.ABORTED, left.reason(), left.getMessage());
        assertEquals(1, left.rank(), left.getMessage());
      }
    }
  }

  @Test
  void shouldSayWhoseTransportWasClosed() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(2)) {
      List<Collective> barriers = mesh.together(group -> group.barrier(CollectiveOptions.DEFAULT));
      mesh.transports.get(0).close();
      List<CollectiveException> all =
          failures(
              mesh,
              group -> {
                barriers.get(group.rank()).run(LoopbackGroup.SOON);
                return null;
              });
      assertEquals(Reason.CLOSED, all.get(0).reason(), all.get(0).getMessage());
      assertEquals(0, all.get(0).rank());
      assertEquals(Reason.RANK_LOST, all.get(1).reason(), all.get(1).getMessage());
      assertEquals(0, all.get(1).rank());
    }
  }

  @Test
  void shouldSayThatTheTransportWasClosedWhileItJoins() throws Exception {
    CountDownLatch turns = new CountDownLatch(20);
    Rendezvous rendezvous =
        new Rendezvous() {
          @Override
          public void publish(String member, byte[] handle) {}

          @Override
          public List<String> members() {
            return List.of("node-a", "node-b");
          }

          @Override
          public Optional<byte[]> handle(String member) {
            turns.countDown();
            return Optional.empty();
          }
        };
    Transport transport = LoopbackGroup.transport(0, List.of(1));
    try {
      AtomicReference<Exception> end = new AtomicReference<>();
      Thread joining =
          new Thread(
              () -> {
                try {
                  Group.join(
                      transport, GroupSpec.named("g").size(2), rendezvous, LoopbackGroup.SOON);
                } catch (CollectiveException | RuntimeException e) {
                  end.set(e);
                }
              });
      joining.start();
      assertTrue(turns.await(20, TimeUnit.SECONDS));
      transport.close();
      joining.join(TimeUnit.SECONDS.toMillis(40));
      CollectiveException closed = assertInstanceOf(CollectiveException.class, end.get());
      assertEquals(Reason.CLOSED, closed.reason(), closed.getMessage());
      assertEquals(0, closed.rank());
    } finally {
      transport.close();
    }
  }

  /** A third takes its connections, and does not join either. */
  @Test
  @Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldFailToJoinWithOneThatGivesUp() throws Exception {
    List<CollectiveException> all = joinWithOneThatGivesUp(GIVE_UP_MS[0]);
    // On a busy host it may give up before the other one has met it.
    for (int i = 1; i < GIVE_UP_MS.length && all.get(0).reason() == Reason.TIMED_OUT; i++) {
      System.out.println("again with " + GIVE_UP_MS[i] + " ms: " + all.get(0).getMessage());
      all = joinWithOneThatGivesUp(GIVE_UP_MS[i]);
    }
    assertEquals(Reason.TIMED_OUT, all.get(1).reason(), all.get(1).getMessage());
    assertEquals(Reason.ABORTED, all.get(0).reason(), all.get(0).getMessage());
    assertEquals(1, all.get(0).rank());
  }

  /** What both meet: rank 1 gives up then, and rank 0 a good while later. */
  private static List<CollectiveException> joinWithOneThatGivesUp(int giveUpMs) throws Exception {
    Rendezvous rendezvous = Rendezvous.inProcess();
    try (LoopbackGroup mesh = LoopbackGroup.mesh(3)) {
      Reception idle =
          Reception.open(
              mesh.transports.get(2), new Roster(rendezvous, "node-c", 3), MeshGroup.OPTIONS);
      List<CollectiveException> all =
          mesh.all(
              2,
              index ->
                  assertThrows(
                      CollectiveException.class,
                      () ->
                          Group.join(
                              mesh.transports.get(index),
                              GroupSpec.named("other").size(3),
                              rendezvous,
                              Duration.ofMillis(giveUpMs)
                                  .plus(index == 0 ? LoopbackGroup.SOON : Duration.ZERO))));
      idle.release();
      return all;
    }
  }

  /** At once, and not when the time for joining has passed. */
  @Test
  @Timeout(value = 50, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldFailEveryMemberWhereOneExpectsAnotherNumberOfThem() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(3)) {
      List<CollectiveException> all =
          failuresToJoin(
              mesh,
              index -> GroupSpec.named("other").size(index == 0 ? 2 : 3),
              Duration.ofMinutes(2));
      for (int rank = 0; rank < 3; rank++) {
        CollectiveException each = all.get(rank);
        assertEquals(Reason.MISMATCH, each.reason(), each.getMessage());
        // Of two that differ from it, node-a names the one that it has heard of first.
        String other = rank == 0 ? "node-[bc] joins 3" : "node-a joins 2";
        assertTrue(each.getMessage().matches(".*" + other + ".*"), each.getMessage());
      }
    }
  }

  @Test
  void shouldEndPreparationsOfAnotherThreadByClosing() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(2)) {
      CountDownLatch prepared = new CountDownLatch(3);
      List<Reason> reasons =
          mesh.all(
              3,
              index -> {
                if (index == 2) {
                  assertTrue(prepared.await(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS));
                  mesh.groups.get(0).close();
                  return Reason.CLOSED;
                }
                CollectiveException end =
                    assertThrows(
                        CollectiveException.class,
                        () -> {
                          while (true) {
                            mesh.groups.get(index).barrier(CollectiveOptions.DEFAULT).close();
                            prepared.countDown();
                          }
                        });
                return end.reason();
              });
      assertEquals(List.of(Reason.CLOSED, Reason.ABORTED, Reason.CLOSED), reasons);
    }
  }

  /** At once, and not when the time for preparing has passed. */
  @Test
  @Timeout(value = 50, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldFailToPrepareWithOneThatLeaves() throws Exception {
    try (LoopbackGroup line = LoopbackGroup.line(3)) {
      line.all(
          3,
          rank -> {
            Group group = line.groups.get(rank);
            if (rank == 2) {
              group.close();
              return null;
            }
            CollectiveException left =
                failure(
                    each -> {
                      each.allReduce(new float[4], ReduceOp.SUM);
                      return null;
                    },
                    group);
            assertEquals(Reason.ABORTED, left.reason(), left.getMessage());
            assertEquals(2, left.rank());
            return null;
          });
    }
  }

  @Test
  void shouldFailWhenAnOperationIsClosedWhileItRuns() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(2)) {
      List<Collective> barriers = mesh.together(group -> group.barrier(CollectiveOptions.DEFAULT));
      barriers.get(0).start(Collective.NO_DEADLINE);
      barriers.get(0).close();
      CollectiveException aborted =
          assertThrows(
              CollectiveException.class,
              () -> {
                barriers.get(1).run(LoopbackGroup.SOON);
                barriers.get(1).run(LoopbackGroup.SOON);
              });
      assertEquals(Reason.ABORTED, aborted.reason());
      assertEquals(0, aborted.rank());
    }
  }

  @Test
  void shouldEndACallThatIsUnderWayByClosing() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(2)) {
      Group group = mesh.groups.get(0);
      AtomicReference<CollectiveException> end = new AtomicReference<>();
      Thread caller =
          new Thread(
              () ->
                  end.set(
                      failure(
                          each -> {
                            each.barrier();
                            return null;
                          },
                          group)));
      caller.start();
      await()
          .atMost(60, TimeUnit.SECONDS)
          .until(
              () ->
                  Arrays.stream(caller.getStackTrace())
                      .anyMatch(each -> each.getMethodName().equals("exchange")));
      assertEquals(Duration.ofMinutes(1), group.timeout(), "which waits for no call");
      group.close();
      caller.join(LoopbackGroup.SOON.toMillis());
      assertEquals(Reason.CLOSED, end.get().reason(), end.get().getMessage());
    }
  }

  /** What a form for a single time has allocated, if the rest of its memory is not to be had. */
  @Test
  void shouldKeepNoMemoryOfAnOperationThatHasNotEnough() throws Exception {
    List<RegisteredMemory> allocated = new ArrayList<>();
    try (Transport transport = LoopbackGroup.transport(0, List.of(1))) {
      Transport poor =
          (Transport)
              Proxy.newProxyInstance(
                  Transport.class.getClassLoader(),
                  new Class<?>[] {Transport.class},
                  (proxy, method, arguments) -> {
                    boolean isSecond =
                        !allocated.isEmpty()
                            && allocated.get(allocated.size() - 1).lengthBytes() == 777;
                    if (method.getName().equals("allocate") && isSecond) {
                      throw new TransportException(
                          TransportException.Reason.NO_RESOURCES, "no more memory");
                    }
                    Object result = method.invoke(transport, arguments);
                    if (result instanceof RegisteredMemory memory) {
                      allocated.add(memory);
                    }
                    return result;
                  });
      try (Group group =
          Group.join(
              poor, GroupSpec.named("poor").size(1), Rendezvous.inProcess(), LoopbackGroup.SOON)) {
        CollectiveException refused =
            assertThrows(
                CollectiveException.class,
                () -> group.allGather(ByteBuffer.allocate(777), ByteBuffer.allocate(777)));
        assertEquals(Reason.RESOURCES, refused.reason());
      }
      for (RegisteredMemory each : allocated) {
        assertThrows(IllegalStateException.class, each::remoteKey);
      }
    }
  }

  @Test
  void shouldSayWhoIsMissing() throws Exception {
    try (Transport transport = LoopbackGroup.transport(0, List.of(1))) {
      GroupSpec spec = GroupSpec.named("test").members("node-a", "node-b");
      CollectiveException missing =
          assertThrows(
              CollectiveException.class,
              () -> Group.join(transport, spec, Rendezvous.inProcess(), Duration.ofMillis(200)));
      assertEquals(Reason.TIMED_OUT, missing.reason());
      assertTrue(missing.getMessage().contains("only [node-a]"), missing.getMessage());
    }
  }

  @Test
  void shouldRefuseMembersWithDifferentRanks() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(3)) {
      List<CollectiveException> all =
          failuresToJoin(
              mesh,
              index ->
                  GroupSpec.named("other")
                      .members(
                          index == 2
                              ? List.of("node-b", "node-a", "node-c")
                              : List.of("node-a", "node-b", "node-c")),
              LoopbackGroup.SOON);
      for (CollectiveException each : all) {
        assertEquals(Reason.MISMATCH, each.reason(), each.getMessage());
        assertTrue(each.getMessage().contains("[node-b, node-a, node-c]"), each.getMessage());
        assertTrue(each.getMessage().contains("[node-a, node-b, node-c]"), each.getMessage());
      }
    }
  }

  @Test
  void shouldRunMemoryThatPeersMayNotWriteTo() throws Exception {
    try (LoopbackGroup mesh = LoopbackGroup.mesh(2)) {
      mesh.together(
          group -> {
            Transport transport = mesh.transports.get(group.rank());
            ByteBuffer buffer = ByteBuffer.allocateDirect(400_000);
            try (RegisteredMemory memory = transport.register(buffer);
                Collective sum =
                    group.allReduce(
                        memory,
                        0,
                        100_000,
                        DataType.I32,
                        ReduceOp.SUM,
                        CollectiveOptions.DEFAULT)) {
              buffer.order(java.nio.ByteOrder.nativeOrder()).putInt(399_996, group.rank() + 1);
              sum.run(LoopbackGroup.SOON);
              assertEquals(3, buffer.getInt(399_996));
            }
            return null;
          });
    }
  }
}
