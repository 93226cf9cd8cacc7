// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SeedQueriesTest {
  private static final InetSocketAddress THERE = ScriptedPeers.at(2);
  private static final Node NODE = Nodes.node(2);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedPeers peers = new ScriptedPeers(time);
  private final RecordingLogger log = new RecordingLogger();
  private final SeedQueries questions =
      new SeedQueries(peers, handle -> Optional.of(Nodes.id(handle)), time, log.log);

  private static Reason failure(CompletableFuture<?> question) {
    assertTrue(question.isDone());
    ExecutionException failed = assertThrows(ExecutionException.class, question::get);
    return ((TransportException) failed.getCause()).reason();
  }

  @Test
  void shouldAnswerOnTheTimersThreadOnly() {
    peers.answer(THERE, NODE.handle());
    CompletableFuture<byte[]> answer = questions.query(THERE);
    assertFalse(answer.isDone());
    time.pass(0);
    assertArrayEquals(NODE.handle(), answer.join());
  }

  @Test
  void shouldFailWhateverAQuestionMeetsAndPutItAgainTheNextTime() {
    List<InetSocketAddress> asked = new ArrayList<>();
    SeedQueries scarce =
        new SeedQueries(
            address -> {
              asked.add(address);
              if (asked.size() == 1) {
                throw new InternalError("in this test");
              }
              return CompletableFuture.completedFuture(NODE.handle());
            },
            handle -> Optional.of(Nodes.id(handle)),
            time,
            log.log);
    CompletableFuture<byte[]> failed = scarce.query(THERE);
    time.pass(0);
    assertEquals(Reason.DEVICE, failure(failed));
    CompletableFuture<byte[]> answer = scarce.query(THERE);
    time.pass(0);
    assertArrayEquals(NODE.handle(), answer.join());
  }

  @Test
  void shouldJoinTheOutstandingQuery() {
    CompletableFuture<byte[]> reply = peers.keepWaiting(THERE);
    CompletableFuture<byte[]> first = questions.query(THERE);
    assertSame(first, questions.query(THERE));
    questions.query(ScriptedPeers.at(3));
    assertEquals(2, peers.asked.size());
    reply.complete(NODE.handle());
    time.pass(0);
    assertNotSame(first, questions.query(THERE));
    assertEquals(3, peers.asked.size());
  }

  @Test
  void shouldRememberWhoAnsweredLastWhere() {
    peers.answer(THERE, NODE.handle());
    peers.answer(ScriptedPeers.at(3), NODE.handle());
    peers.answer(ScriptedPeers.at(4), Nodes.bytes("somebody else"));
    for (int host = 2; host <= 5; host++) {
      questions.query(ScriptedPeers.at(host));
    }
    time.pass(0);
    assertEquals(List.of(THERE, ScriptedPeers.at(3)), questions.answeredBy(NODE));
    assertEquals(Optional.of(THERE), questions.addressOf(NODE.id()));
    peers.answer(THERE, Nodes.bytes("a new life"));
    questions.query(THERE);
    time.pass(0);
    assertEquals(List.of(ScriptedPeers.at(3)), questions.answeredBy(NODE));
    assertEquals(Optional.of(ScriptedPeers.at(3)), questions.addressOf(NODE.id()));
    assertEquals(Optional.empty(), questions.addressOf("nobody"));
  }

  @Test
  void shouldDropTheOldestOfManyAnswers() {
    for (int host = 0; host < 257; host++) {
      InetSocketAddress address = new InetSocketAddress(THERE.getAddress(), 1 + host);
      peers.answer(address, NODE.handle());
      questions.query(address);
      time.pass(0);
    }
    assertEquals(256, questions.answeredBy(NODE).size());
    assertEquals(2, questions.answeredBy(NODE).get(0).getPort());
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailAsTheQuestionFailsAndSayEachReasonOnce(Reason reason) {
    peers.fail(THERE, reason);
    for (int times = 0; times < 10; times++) {
      CompletableFuture<byte[]> answer = questions.query(THERE);
      time.pass(0);
      assertEquals(reason, failure(answer));
    }
    assertEquals(1, log.lines().size(), log.lines().toString());
    String line = log.lines().get(0);
    assertTrue(line.contains("10.77.1.2:4791"), line);
    assertEquals(2, line.split(reason + ": scripted\\.", -1).length, () -> "once in " + line);
    boolean usual =
        switch (reason) {
          case PEER_UNREACHABLE, TIMED_OUT, NO_ROUTE, CLOSED, INTERRUPTED -> true;
          default -> false;
        };
    assertEquals(usual ? "debug" : "warn", line.substring(0, line.indexOf(':')));
  }

  @Test
  void shouldSayNothingLoudOfAFirstFailure() {
    peers.fail(THERE, Reason.REFUSED);
    questions.query(THERE);
    time.pass(0);
    assertEquals(List.of(), log.lines());
  }

  @Test
  void shouldSayAReasonAgainForAnotherAddressOrAfterAnAnswer() {
    for (InetSocketAddress address : List.of(THERE, ScriptedPeers.at(3))) {
      failTwice(address, Reason.REFUSED);
      failTwice(address, Reason.PROTOCOL);
    }
    assertEquals(4, log.loud().size());
    peers.answer(THERE, NODE.handle());
    questions.query(THERE);
    time.pass(0);
    failTwice(THERE, Reason.REFUSED);
    failTwice(ScriptedPeers.at(3), Reason.REFUSED);
    assertEquals(5, log.loud().size());
  }

  private void failTwice(InetSocketAddress address, Reason reason) {
    peers.fail(address, reason);
    for (int times = 0; times < 2; times++) {
      questions.query(address);
      time.pass(0);
    }
  }

  @Test
  void shouldFailOutstandingQueriesWhenClosedAndSendNoMore() {
    CompletableFuture<byte[]> reply = peers.keepWaiting(THERE);
    CompletableFuture<byte[]> answer = questions.query(THERE);
    questions.close();
    questions.close();
    assertEquals(Reason.CLOSED, failure(answer));
    assertEquals(Reason.CLOSED, failure(questions.query(THERE)));
    reply.complete(NODE.handle());
    time.pass(0);
    assertEquals(Reason.CLOSED, failure(answer));
    assertEquals(1, peers.asked.size());
  }

  @Test
  void shouldFailAndQueryAgainIfAQueryCannotBeSent() {
    SeedQueries unable =
        new SeedQueries(
            address -> {
              peers.asked.add("x");
              throw new IllegalStateException("the transport is closed");
            },
            handle -> Optional.empty(),
            time,
            log.log);
    for (int times = 1; times <= 2; times++) {
      CompletableFuture<byte[]> answer = unable.query(THERE);
      time.pass(0);
      assertEquals(Reason.DEVICE, failure(answer));
      assertEquals(times, peers.asked.size());
    }
  }

  @Test
  void shouldFindTheCauseUnderAnyWrapping() {
    TransportException why = new TransportException(Reason.REFUSED, "no");
    assertSame(
        why, SeedQueries.cause(THERE, new CompletionException(new CompletionException(why))));
    IllegalStateException odd = new IllegalStateException("odd");
    TransportException wrapped = SeedQueries.cause("there", odd);
    assertSame(odd, wrapped.getCause());
    assertTrue(wrapped.getMessage().contains("there"), wrapped.getMessage());
  }

  @Test
  void shouldWriteAddressesAsPeopleDo() {
    assertEquals("10.77.1.2:4791", SeedQueries.text(THERE));
    assertEquals(
        "[0:0:0:0:0:0:0:1]:7",
        SeedQueries.text(
            new InetSocketAddress(
                Nodes.address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 7)));
    assertEquals("host:7", SeedQueries.text(InetSocketAddress.createUnresolved("host", 7)));
  }
}
