// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Links that {@link MemberLinks} hold while {@link GroupJoin} does not know yet that their other
 * ends use them: a test plays one member's attempt that fails, and the member then joins.
 */
@Tag("slow")
class ProvisionalLinksTest {
  private static final GroupSpec PAIR = GroupSpec.named("pair").size(2);
  private static final String KEY = "pair";
  private static final int CONTROL_TAG = 1;

  private final Rendezvous rendezvous = Rendezvous.inProcess();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private Transport one;
  private Transport other;

  @BeforeEach
  void open() throws Exception {
    one = LoopbackGroup.transport(0, List.of(1));
    other = LoopbackGroup.transport(1, List.of(1));
  }

  @AfterEach
  void close() {
    thread.shutdownNow();
    one.close();
    other.close();
  }

  private static Group join(Transport transport, Rendezvous rendezvous) throws Exception {
    return Group.join(transport, PAIR, rendezvous, LoopbackGroup.SOON);
  }

  private void assertJoined(Future<Group> first, Transport second) throws Exception {
    try (Group here = join(second, rendezvous);
        Group there = first.get(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS)) {
      assertEquals(here.names(), there.names());
      Future<?> passed =
          thread.submit(
              () -> {
                there.barrier();
                return null;
              });
      here.barrier();
      passed.get(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private Connection attempt(int attempt) throws Exception {
    Roster lower = new Roster(rendezvous, "node-a", 2);
    try (Listener unused = one.listen()) {
      lower.publish(unused.handle());
      await().atMost(LoopbackGroup.SOON).until(() -> lower.handle("node-b").isPresent());
    }
    return one.connect(
        lower.handle("node-b").orElseThrow(),
        MeshGroup.OPTIONS.hello(new GroupHello(0, KEY, 1, attempt).encode()),
        LoopbackGroup.SOON);
  }

  /** Until the higher rank has taken it, as the messages that it sends over it show. */
  private Connection taken(int number) throws Exception {
    Connection attempt = attempt(number);
    try (RegisteredMemory memory = one.allocate(RankMessage.MAX_BYTES)) {
      attempt.receive(memory, 0, RankMessage.MAX_BYTES, CONTROL_TAG, LoopbackGroup.SOON);
    }
    return attempt;
  }

  /** Whether the higher rank has closed it. */
  private static boolean isRefused(Connection attempt) {
    attempt.awaitProgress(attempt.progressCount(), Duration.ZERO);
    return attempt.state() != ChannelState.READY;
  }

  @Test
  void shouldRefuseAnEarlierAttemptThatArrivesLater() throws Exception {
    Future<Group> joining = thread.submit(() -> join(other, rendezvous));
    try (Connection latest = taken(7);
        Connection earlier = attempt(6)) {
      await().atMost(LoopbackGroup.SOON).until(() -> isRefused(earlier));
      assertFalse(isRefused(latest));
    }
    // What a rank that has started again begins with counts, as it is of another join.
    assertJoined(joining, one);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTakeTheConnectionThatItsRankMakesInPlaceOfAnEarlierOne(boolean isClosedBefore)
      throws Exception {
    Future<Group> joining = thread.submit(() -> join(other, rendezvous));
    Connection givenUp = taken(0);
    if (isClosedBefore) {
      givenUp.close();
    }
    assertJoined(joining, one);
    givenUp.close();
  }

  @Test
  void shouldConnectAgainWhereAConnectionIsLostBeforeItIsAccepted() throws Exception {
    Roster higher = new Roster(rendezvous, "node-b", 2);
    try (Listener early = other.listen()) {
      higher.publish(early.handle());
      Future<Group> joining = thread.submit(() -> join(one, rendezvous));
      early.acceptConnection().await(LoopbackGroup.SOON).close();
      assertJoined(joining, other);
    }
  }
}
