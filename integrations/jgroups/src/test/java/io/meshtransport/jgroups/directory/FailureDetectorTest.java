// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureDetectorTest {
  private static final long FORGOTTEN_MS = 30_000;
  private static final String ID = "handle";
  private static final Address MEMBER = new UUID(0, 1);

  /** Remembers what follows, and needs whom the test names. */
  private static final class Followed implements FailureDetector.FailureActions {
    final List<Address> suspects = new ArrayList<>();
    final List<String> forgotten = new ArrayList<>();
    final Set<Address> needed = new HashSet<>();

    @Override
    public void suspect(Address member) {
      suspects.add(member);
    }

    @Override
    public boolean isNeeded(String id, Optional<Address> member) {
      return member.filter(needed::contains).isPresent();
    }

    @Override
    public void removeNode(String id) {
      forgotten.add(id);
    }
  }

  private final VirtualTime time = new VirtualTime();
  private final Followed followed = new Followed();
  private final FailureDetector absences = new FailureDetector(followed, FORGOTTEN_MS, time);

  private static TransportException refused() {
    return new TransportException(
        Reason.PEER_UNREACHABLE, "no process.", new ConnectException("Connection refused"));
  }

  private static TransportException failure(Reason reason) {
    return new TransportException(reason, "scripted.");
  }

  private void introduce() {
    absences.introduced(ID, Optional.of(MEMBER));
  }

  private void unreach(TransportException why) {
    absences.unreachable(ID, why);
    time.pass(0);
  }

  @Test
  void shouldSuspectAMemberWhoseHostSaysThatItsProcessIsGone() {
    introduce();
    absences.ended(ID, failure(Reason.PEER_GONE));
    time.pass(0);
    assertEquals(List.of(), followed.suspects);
    unreach(refused());
    assertEquals(List.of(MEMBER), followed.suspects);
  }

  @ParameterizedTest
  @EnumSource
  void shouldAcceptNoReasonByItself(Reason reason) {
    introduce();
    unreach(failure(reason));
    time.pass(FORGOTTEN_MS);
    assertEquals(List.of(), followed.suspects);
    assertEquals(List.of(), followed.forgotten);
  }

  @Test
  void shouldSuspectAgainAtEachVainDial() {
    introduce();
    assertEquals(Optional.of(MEMBER), absences.member(ID));
    unreach(refused());
    unreach(refused());
    assertEquals(List.of(MEMBER, MEMBER), followed.suspects);
  }

  @Test
  void shouldNotSuspectWhoSaidGoodbyeUntilItIsBack() {
    introduce();
    absences.ended(ID, failure(Reason.PEER_CLOSED));
    absences.ended(ID, failure(Reason.PEER_GONE));
    unreach(refused());
    assertEquals(List.of(), followed.suspects);
    assertTrue(absences.closedOrderly(ID));
    absences.opened(ID);
    assertFalse(absences.closedOrderly(ID));
    unreach(refused());
    assertEquals(List.of(MEMBER), followed.suspects);
  }

  @Test
  void shouldSuspectNoNodeWhereNoMemberIsKnown() {
    unreach(refused());
    absences.introduced(ID, Optional.empty());
    unreach(refused());
    assertEquals(List.of(), followed.suspects);
  }

  @Test
  void shouldSuspectTheFormerMemberWhenItsNodeHasRestartedAndItsLinksHadEnded() {
    introduce();
    absences.introduced("anew", Optional.of(new UUID(0, 2)));
    absences.ended(ID, failure(Reason.PEER_GONE));
    absences.replaced(ID);
    time.pass(0);
    assertEquals(List.of(MEMBER), followed.suspects);
  }

  @Test
  void shouldNotSuspectAMemberWhoseNameAnotherNodeHasToo() {
    introduce();
    absences.replaced(ID);
    time.pass(FORGOTTEN_MS);
    assertEquals(List.of(), followed.suspects);
  }

  @Test
  void shouldRemoveANodeThatHasBeenAbsentForLong() {
    introduce();
    unreach(refused());
    time.pass(FORGOTTEN_MS - 1);
    assertEquals(List.of(), followed.forgotten);
    time.pass(1);
    assertEquals(List.of("handle"), followed.forgotten);
    time.pass(10 * FORGOTTEN_MS);
    assertEquals(1, followed.forgotten.size());
  }

  @Test
  void shouldRemoveANodeThatNeverIntroducedItself() {
    unreach(refused());
    time.pass(FORGOTTEN_MS);
    assertEquals(List.of("handle"), followed.forgotten);
  }

  @Test
  void shouldRemoveANodeInUseOnlyWhenItIsUnused() {
    introduce();
    followed.needed.add(MEMBER);
    unreach(refused());
    time.pass(5 * FORGOTTEN_MS);
    assertEquals(List.of(), followed.forgotten);
    followed.needed.clear();
    time.pass(FORGOTTEN_MS);
    assertEquals(List.of("handle"), followed.forgotten);
  }

  @Test
  void shouldKeepANodeThatIsBack() {
    introduce();
    unreach(refused());
    time.pass(FORGOTTEN_MS / 2);
    absences.opened(ID);
    time.pass(10 * FORGOTTEN_MS);
    unreach(refused());
    time.pass(FORGOTTEN_MS - 1);
    introduce();
    time.pass(1);
    assertEquals(List.of(), followed.forgotten);
  }

  @Test
  void shouldCountTheTimeFromTheLatestAbsence() {
    introduce();
    unreach(refused());
    time.pass(10_000);
    absences.opened(ID);
    time.pass(19_000);
    unreach(refused());
    time.pass(FORGOTTEN_MS / 2);
    unreach(refused());
    time.pass(FORGOTTEN_MS / 2 - 1);
    assertEquals(List.of(), followed.forgotten);
    time.pass(1);
    assertEquals(List.of("handle"), followed.forgotten);
  }

  @Test
  void shouldKeepANodeThatIsSilent() {
    introduce();
    unreach(failure(Reason.TIMED_OUT));
    unreach(failure(Reason.NO_ROUTE));
    time.pass(10 * FORGOTTEN_MS);
    assertEquals(List.of(), followed.forgotten);
  }
}
