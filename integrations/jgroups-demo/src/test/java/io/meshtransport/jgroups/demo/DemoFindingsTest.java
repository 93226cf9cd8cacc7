// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.FabricException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Also tests {@link GroupChannel}, {@link GroupReceiver}, {@link GroupState} and {@link
 * PacedSender}.
 */
class DemoFindingsTest {
  private final List<String> reported = new ArrayList<>();
  private final DemoFindings findings = new DemoFindings(reported::add);

  private GroupDemoReport report() {
    return findings.toReport("triangle", "soft", "all of it", List.of("a"));
  }

  @Test
  void shouldKeepAndSayWhatWasFound() {
    assertTrue(findings.require("one view", () -> "of three"));

    assertEquals(List.of("one view: of three"), reported);
    assertEquals("of three", report().checks().get(0).found());
    assertTrue(report().passed());
  }

  @Test
  void shouldFailAndGoOnWhenAStepDoesNotGetThere() {
    assertFalse(
        findings.require(
            "one view",
            () -> {
              throw new FabricException("after 60 s:\n  a sees [a]");
            }));
    assertTrue(findings.require("another thing", () -> "stands"));

    assertEquals("NOT: one view: after 60 s:; a sees [a]", reported.get(0));
    assertEquals("FAIL: one view: after 60 s:; a sees [a]", report().result());
    assertEquals(2, report().checks().size());
  }

  @Test
  void shouldNotDecideByTheControl() {
    findings.compare(
        "stock TCP",
        () -> {
          throw new FabricException("did not even join");
        });
    findings.require("one view", () -> "of three");

    assertTrue(report().passed());
    assertFalse(report().checks().get(0).holds());
  }

  @Test
  void shouldNotReportAMistakeOfOursAsAFinding() {
    assertThrows(
        IllegalStateException.class,
        () ->
            findings.require(
                "one view",
                () -> {
                  throw new IllegalStateException("a mistake");
                }));
  }
}
