// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * Also tests {@link BenchEnvironment}, {@link BenchTable}, {@link CallsBenchCommand}, {@link
 * CollectivesBenchCommand}, {@link ConnectionsBenchCommand}, {@link FirstBenchCommand}, {@link
 * DowncallBenchCommand}, {@link DowncallTable}, {@link JGroupsBenchCommand}, {@link
 * LabBenchCommand}, {@link RailsBenchCommand}, {@link ScaleBenchCommand}, {@link ScaleTable} and
 * {@link SoftBenchCommand}.
 *
 * <p>Also tests {@link RelayBenchCommand}, {@link io.meshtransport.jgroups.bench.StartBench},
 * {@link StartBenchCommand}, {@link io.meshtransport.jgroups.bench.StartMain}, {@link
 * io.meshtransport.jgroups.bench.StartReport}, {@link KernelBenchCommand} and {@link KernelTable}.
 */
class BenchCommandTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "soft",
        "scale",
        "lab",
        "rails",
        "relay",
        "collectives",
        "jgroups",
        "start",
        "connections",
        "calls",
        "first",
        "kernels"
      })
  void shouldExplainEachCommand(String command) {
    Cli help = Cli.run("bench", command, "--help");

    assertEquals(CommandLine.ExitCode.OK, help.status(), help.err());
    assertTrue(help.out().contains("--json=FILE"), help.out());
    assertTrue(Cli.run("bench", "--help").out().contains("  " + command), command);
  }

  @ParameterizedTest
  @CsvSource({
    "soft,   --rounds=0,          rounds: 0",
    "rails,  --seconds=0,         seconds: 0.0",
    "lab,    --warm-up=1000,      warm-up seconds: 1000.0",
    "lab,    --guest-mtu=100,     an MTU of 100 bytes",
    "lab,    --only=nonsense,     no case is called 'nonsense'",
    "scale,  --channels=5000,     channels: 5000",
    "scale,  --nodes=1,           nodes: 1",
    "connections, --connections=0, connections: 0 is outside 1..4096",
    "calls,  --threads=65,        1 to 64 at once",
    "collectives, --rounds=0,     rounds: 0",
    "first,  --mebibytes=3,       mebibytes: 3 is no multiple of 4",
    "start,  --members=1,         members: 1 is outside 2..100",
    "kernels, --kib=0,            KiB: 0 is outside 1..262144",
    "collectives, --size=100,     size: no case has 100 bytes"
  })
  void shouldRefuseNumbersOutOfBounds(String command, String option, String complaint) {
    Cli refused = Cli.run("bench", command, option);

    assertEquals(CommandLine.ExitCode.USAGE, refused.status(), refused.out());
    assertTrue(refused.err().contains(complaint), refused.err());
  }

  @Test
  void shouldSayBeforeItMeasuresThatItCannotWrite() {
    Path nowhere = folder.resolve("no-such-folder").resolve("soft.json");

    Cli refused = Cli.run("bench", "soft", "--json", nowhere.toString());

    assertEquals(MeshMain.FAILED, refused.status(), refused.out());
    assertTrue(refused.err().contains("no such directory"), refused.err());
  }
}
