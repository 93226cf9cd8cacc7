// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.GroupDemoReport.Check;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupDemoReportTest {
  private static final Check HOLDS = new Check("one view", true, true, "of 3", 5);
  private static final Check FAILS = new Check("state", false, true, "9 of 10 bytes", 5);
  private static final Check STOCK_FAILS = new Check("control", false, false, "silent", 5);

  private static GroupDemoReport report(Check... checks) {
    return new GroupDemoReport(
        "triangle",
        "soft",
        "all of it",
        List.of("a"),
        List.of(),
        List.of(),
        List.of(),
        List.of(checks),
        GroupDemoReport.verdict(List.of(checks)));
  }

  @Test
  void shouldPassWhenEverythingThatDecidesHolds() {
    assertTrue(report(STOCK_FAILS, HOLDS, HOLDS).passed());
    assertEquals("PASS", report(HOLDS).result());
  }

  @Test
  void shouldNameTheFirstThatDoesNotHold() {
    GroupDemoReport report = report(HOLDS, FAILS, new Check("later", false, true, "x", 1));

    assertFalse(report.passed());
    assertEquals("FAIL: state: 9 of 10 bytes", report.result());
  }

  @Test
  void shouldNotPassOnTheControlAlone() {
    Check stockWorks = new Check("control", true, false, "works", 5);

    assertEquals("FAIL: nothing was checked", report(stockWorks).result());
    assertFalse(report().passed());
  }

  @Test
  void shouldFailOfWhatIsFoundAfterwards() {
    GroupDemoReport failed = report(HOLDS).failedAfterAll("a receiver was not ready");

    assertEquals("FAIL: a receiver was not ready", failed.result());
    assertEquals(List.of(HOLDS), failed.checks());
  }

  @Test
  void shouldSayInOneLineWhyThereIsNothingToShow() {
    GroupDemoReport failed =
        GroupDemoReport.failed("triangle", List.of("a"), "no namespaces:\n  unshare\n");

    assertEquals("FAIL: no namespaces:; unshare", failed.result());
    assertFalse(failed.passed());
  }
}
