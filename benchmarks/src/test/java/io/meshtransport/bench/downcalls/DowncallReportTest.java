// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is compared with what, and which Java is new enough. */
class DowncallReportTest {
  private static final DowncallResult JNA =
      new DowncallResult("PostAndPoll.callsInChains", 20, 1, 19, 0);
  private static final DowncallResult FOREIGN =
      new DowncallResult("PostAndPoll.callsInChains", 1, 0.1, 0.9, 0);

  @Test
  void shouldCompareBothWaysWithTheirTargetsAndWithEachOther() {
    DowncallReport report =
        DowncallReport.of(
            Map.of("JNA", List.of(JNA), "java.lang.foreign", List.of(FOREIGN)), "here");
    assertEquals(
        List.of(
            "PostAndPoll.callsInChains 1.0 of 20.0 JNA, 20.0",
            "PostAndPoll.callsInChains through JNA 20.0 of 40.0 target, 2.0",
            "PostAndPoll.callsInChains through java.lang.foreign 1.0 of 5.0 target, 5.0"),
        report.cases().stream()
            .map(
                each ->
                    "%s %s of %s %s, %s"
                        .formatted(
                            each.name(), each.ours(), each.peer(), each.peerName(), each.ratio()))
            .sorted()
            .toList());
  }

  @Test
  void shouldCompareWithTheTargetAloneWhereThereIsOneJava() {
    DowncallReport report = DowncallReport.of(Map.of("JNA", List.of(JNA)), "here");
    assertEquals(List.of("target"), report.cases().stream().map(DowncallCase::peerName).toList());
  }

  @Test
  void shouldCompareMessagesOverChannelsWithThoseOverASocketOfTheSameJava() {
    List<DowncallResult> older =
        List.of(
            new DowncallResult("HalfRoundTrip.message SOCKET", 4, 1, 3, 0),
            new DowncallResult("HalfRoundTrip.message CHANNEL", 8, 1, 7, 0));
    DowncallReport report =
        DowncallReport.of(Map.of("JNA", older, "java.lang.foreign", older.subList(0, 1)), "here");
    assertEquals(
        List.of(
            new DowncallCase(
                "HalfRoundTrip.message CHANNEL, the Java of JNA",
                8,
                4,
                "socket",
                "ns/message",
                0.5)),
        report.cases());
  }

  @Test
  void shouldReadTheVersionOfAJdk() throws IOException {
    assertEquals(25, NewerJava.versionIn("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.3\"\n"));
    assertEquals(17, NewerJava.versionIn("JAVA_VERSION=\"17\"\n"));
    assertEquals(23, NewerJava.versionIn("JAVA_VERSION=\"23-ea\"\n"));
    assertEquals(0, NewerJava.versionIn("IMPLEMENTOR=\"x\"\n"));
  }
}
