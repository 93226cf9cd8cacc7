// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.host.DevicePort;
import io.meshtransport.softverbs.host.ProcNetTcp;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.WirePort;
import java.io.File;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two cables with the same two addresses, fe80::1 and fe80::2, in a network namespace: only the
 * scope of a device's own row says which cable its connections use.
 */
@Tag("slow")
class LinkLocalCableTest {
  private static final int BYTES = 100;

  private static final String CABLES =
      """
      set -e
      for pair in 'near0 far0' 'near1 far1'; do
        set -- $pair
        ip link add $1 type veth peer name $2
        for end in $1 $2; do ip link set $end addrgenmode none up; done
        ip addr add fe80::1/64 dev $1 nodad
        ip addr add fe80::2/64 dev $2 nodad
      done
      exec "$JAVA" -Xmx64m -cp "$CLASSES" "$MAIN"
      """;

  @Test
  void shouldWriteOverEachOfTwoCablesWithTheSameLinkLocalAddresses() throws Exception {
    assumeTrue(
        new ProcessBuilder("unshare", "--net", "true").start().waitFor() == 0,
        "namespaces need privileges");
    ProcessBuilder builder =
        new ProcessBuilder("unshare", "--net", "sh", "-c", CABLES).redirectErrorStream(true);
    builder
        .environment()
        .put("JAVA", String.join(File.separator, System.getProperty("java.home"), "bin", "java"));
    builder.environment().put("CLASSES", System.getProperty("java.class.path"));
    builder.environment().put("MAIN", LinkLocalCableTest.class.getName());
    Process inside = builder.start();
    try {
      String output = new String(inside.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(inside.waitFor(20, TimeUnit.SECONDS), output);
      assertEquals(0, inside.exitValue(), output);
    } finally {
      inside.destroyForcibly();
    }
  }

  /** Inside the namespace: ends with a stack trace and status 1 where a check fails. */
  public static void main(String[] args) throws Exception {
    for (int cable = 0; cable < 2; cable++) {
      String far = "far" + cable;
      long before = packets(far);
      try (ContractPair pair =
          new ContractPair(
              device("near" + cable, "fe80::1"), device(far, "fe80::2"), Traits.ofSoft())) {
        pair.connect();
        for (int i = 0; i < BYTES; i++) {
          pair.a.memory.put(i, (byte) (cable + i));
        }
        pair.a.postWrite(1, 0, BYTES, pair.b, 0);
        pair.expectSent(pair.a, 1, SUCCESS);
        assertEquals(pair.a.memory.slice(0, BYTES), pair.b.memory.slice(0, BYTES));
      }
      assertTrue(packets(far) > before, "nothing went over " + far);
    }
  }

  private static long packets(String netdev) throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/net/dev"))) {
      if (line.strip().startsWith(netdev + ":")) {
        return Long.parseLong(line.strip().split("[:\\s]+")[2]);
      }
    }
    throw new AssertionError("no " + netdev);
  }

  private static SoftDevice device(String netdev, String address) throws Exception {
    GidEntry row =
        new GidEntry(
            Gid.of(InetAddress.getByName(address)),
            0,
            GidType.SOFT,
            netdev,
            NetworkInterface.getByName(netdev).getIndex());
    DevicePort port =
        new DevicePort() {
          @Override
          public List<GidEntry> gidTable() {
            return List.of(row);
          }

          @Override
          public PortState state() {
            return PortState.ACTIVE;
          }

          @Override
          public int activeMtuBytes() {
            return 1024;
          }
        };
    return new SoftDevice(
        netdev,
        new TcpNetwork(
            new SharedDriver(), port, WirePort.ANY, new ProcNetTcp(Path.of("/proc/self/net"))));
  }
}
