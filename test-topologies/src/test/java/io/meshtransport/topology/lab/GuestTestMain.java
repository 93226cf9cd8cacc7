// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.launcher.EngineFilter.includeEngines;
import static org.junit.platform.launcher.TagFilter.includeTags;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;

/**
 * Runs in a guest: all tests on the class path that need a real RDMA device. Writes JUnit's XML
 * into a folder, prints failures, and ends with 0 if all passed, 1 if not, 2 if there were none.
 */
public final class GuestTestMain {
  /** Tests with this tag take the device of the environment's MESH_CONTRACT_DEVICE. */
  static final String TAG = "rdma-device";

  /** Other engines scan all classes before they find that none is theirs: ten seconds. */
  private static final String ENGINE = "junit-jupiter";

  private GuestTestMain() {}

  /**
   * @param arguments a folder, a regular expression of names of classes, one of names of the
   *     classes, nested ones say, in which a test is written, then names of packages
   */
  public static void main(String[] arguments) {
    PrintWriter out = new PrintWriter(System.out, true);
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request()
            .filters(
                includeEngines(ENGINE),
                includeTags(TAG),
                includeClassNamePatterns(arguments[1]),
                writtenIn(Pattern.compile(arguments[2])));
    for (int i = 3; i < arguments.length; i++) {
      request.selectors(selectPackage(arguments[i]));
    }
    LauncherDiscoveryRequest discovery = request.build();
    LauncherFactory.create()
        .execute(
            discovery,
            summary,
            new ProgressListener(out),
            new LegacyXmlReportGeneratingListener(Path.of(arguments[0]), out));
    TestExecutionSummary result = summary.getSummary();
    result.printFailuresTo(out);
    out.printf(
        "%d tests: %d passed, %d failed, %d left out%n",
        result.getTestsFoundCount(),
        result.getTestsSucceededCount(),
        result.getTestsFailedCount(),
        result.getTestsSkippedCount() + result.getTestsAbortedCount());
    boolean failed = result.getTotalFailureCount() > 0;
    // Threads of a test that failed must not keep the guest busy.
    System.exit(failed ? 1 : result.getTestsSucceededCount() == 0 ? 2 : 0);
  }

  /**
   * Leaves out tests of other classes; a container of tests stays for as long as it contains any.
   */
  private static PostDiscoveryFilter writtenIn(Pattern classes) {
    return test -> FilterResult.includedIf(isWrittenIn(classes, test));
  }

  private static boolean isWrittenIn(Pattern classes, TestDescriptor test) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(MethodSource.class::cast)
        .map(method -> classes.matcher(method.getClassName()).matches())
        .orElse(true);
  }
}
