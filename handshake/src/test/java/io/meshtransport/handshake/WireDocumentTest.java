// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Compares the tables of docs/WIRE.md with the code. */
class WireDocumentTest {
  private final String document = Files.readString(Path.of("..", "docs", "WIRE.md"));

  WireDocumentTest() throws IOException {}

  private void expect(String line) {
    assertTrue(document.contains(line), "docs/WIRE.md lacks: " + line);
  }

  @Test
  void shouldListEveryReasonThatIsSent() {
    for (Reason reason : Reason.values()) {
      if (reason.isSent()) {
        expect(
            "| %d | %s | %s | %s |"
                .formatted(
                    reason.code(),
                    reason,
                    reason.retryHelps() ? "yes" : "no",
                    reason.description()));
      }
    }
  }

  @Test
  void shouldSayHowOftenQueriesAreAnswered() {
    expect(
        "| queries of one address | %d at once, then %d per second |"
            .formatted(QueryRateLimiter.PER_ADDRESS_BURST, QueryRateLimiter.PER_ADDRESS_PER_S));
    expect(
        "| queries of all addresses | %d at once, then %d per second |"
            .formatted(QueryRateLimiter.BURST, QueryRateLimiter.PER_S));
  }

  @Test
  void shouldSayTheLengthsOfEveryFrame() {
    expect("| 1 | %d to %d | `Hello` |".formatted(Hello.MIN_LENGTH_BYTES, Hello.MAX_LENGTH_BYTES));
    expect("| 2 | %d to %d | `Hello` |".formatted(Hello.MIN_LENGTH_BYTES, Hello.MAX_LENGTH_BYTES));
    expect("| CHALLENGE | 3 | %d |".formatted(Challenge.LENGTH_BYTES));
    expect("| PROOF | 4 | %d |".formatted(Proof.LENGTH_BYTES));
    expect("| READY | 5 | %d |".formatted(Ready.LENGTH_BYTES));
    expect("| QUERY | 7 | %d |".formatted(HandleQuery.LENGTH_BYTES));
    expect(
        "| HANDLE | 8 | %d to %d |"
            .formatted(HandleAnswer.MIN_LENGTH_BYTES, HandleAnswer.MAX_LENGTH_BYTES));
    expect("| REFUSE | 6 | %d to %d |".formatted(Refuse.MIN_LENGTH_BYTES, Refuse.MAX_LENGTH_BYTES));
  }
}
