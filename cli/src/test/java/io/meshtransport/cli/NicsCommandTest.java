// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NicsCommandTest {
  @TempDir private Path sysfs;

  private void write(String path, String text) throws IOException {
    Path file = sysfs.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text + "\n");
  }

  /** One rxe device on enp1s0, as the kernel shows it, and the host's addresses. */
  @BeforeEach
  void record() throws IOException {
    String port = "class/infiniband/rxe0/ports/1/";
    write("class/infiniband/rxe0/node_guid", "0200:00ff:fe00:0001");
    write(port + "state", "4: ACTIVE");
    write(port + "link_layer", "Ethernet");
    write(port + "rate", "2.5 Gb/sec (1X SDR)");
    write(port + "gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001");
    write(port + "gid_attrs/types/0", "RoCE v2");
    write(port + "gid_attrs/ndevs/0", "enp1s0");
    write(port + "gids/1", "0000:0000:0000:0000:0000:ffff:0a00:0101");
    write(port + "gid_attrs/types/1", "RoCE v2");
    write(port + "gid_attrs/ndevs/1", "enp1s0");
    write("class/net/enp1s0/operstate", "up");
    write("class/net/enp1s0/ifindex", "2");
    write("class/net/enp1s0/mtu", "1500");
    write(
        RecordedInterfaces.FILE_NAME,
        """
        [{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP"],"mtu":65536,
          "addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8}]},
         {},
         {"ifindex":2,"ifname":"enp1s0","flags":["BROADCAST","UP"],"mtu":1500,"addr_info":[
           {"family":"inet","local":"10.0.1.1","prefixlen":24},
           {"family":"inet6","local":"fe80::ff:fe00:1","prefixlen":64}]}]
        """);
  }

  @Test
  void shouldShowTheNicsOfARecordedHost() throws IOException {
    Path json = sysfs.resolve("out.json");

    Cli run = Cli.run("nics", "--sysfs", sysfs.toString(), "--json", json.toString());

    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().contains("rxe0"), run.out());
    JsonNode nic = new ObjectMapper().readTree(json.toFile()).path("nics").path(0);
    assertEquals("ibverbs", nic.path("provider").asText(), run.out());
    assertEquals("rxe0", nic.path("device").asText());
    assertEquals(1, nic.path("port").asInt());
    assertEquals("enp1s0", nic.path("netdev").asText());
    assertEquals(2, nic.path("ifindex").asInt());
    assertEquals("10.0.1.1/24", nic.path("addresses").path(0).asText());
    assertEquals(1, nic.path("gidIndex").asInt());
    assertEquals("RoCE v2", nic.path("gidType").asText());
    assertEquals("0000:0000:0000:0000:0000:ffff:0a00:0101", nic.path("gid").asText());
    assertEquals("ACTIVE", nic.path("state").asText());
  }

  @Test
  void shouldListAPortWithoutACarrierAsANicThatIsDownAndSayWhatToDo() throws IOException {
    write("class/infiniband/rxe0/ports/1/state", "1: DOWN");
    write("class/net/enp1s0/operstate", "down");
    Path json = sysfs.resolve("out.json");

    Cli run = Cli.run("nics", "--sysfs", sysfs.toString(), "--json", json.toString());

    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().contains("DOWN, no carrier: used as soon as it has one"), run.out());
    assertTrue(run.out().contains("No carrier:"), run.out());
    assertTrue(run.out().contains("Check the cable"), run.out());
    assertTrue(!run.out().contains("Left out:"), run.out());
    assertEquals("", run.err());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("DOWN", report.path("nics").path(0).path("state").asText(), run.out());
    assertEquals("rxe0", report.path("inactive").path(0).path("device").asText(), run.out());
    assertEquals(0, report.path("rejections").size(), run.out());
  }

  @Test
  void shouldGiveReasonAndRemedyForAPortLeftOut() throws IOException {
    write("class/infiniband/rxe1/ports/1/state", "4: ACTIVE");
    write("class/infiniband/rxe1/ports/1/link_layer", "InfiniBand");
    Path json = sysfs.resolve("out.json");

    Cli run = Cli.run("nics", "--sysfs", sysfs.toString(), "--json", json.toString());

    assertEquals(0, run.status(), run.err());
    JsonNode rejection = new ObjectMapper().readTree(json.toFile()).path("rejections").path(0);
    assertEquals("rxe1", rejection.path("device").asText(), run.out());
    assertTrue(!rejection.path("reason").asText().isBlank(), run.out());
    assertTrue(!rejection.path("remedy").asText().isBlank(), run.out());
  }

  @Test
  void shouldFailAndSayWhatToDoWhenNoNicIsUsable() throws IOException {
    write("class/infiniband/rxe0/ports/1/state", "1: DOWN");
    write(
        RecordedInterfaces.FILE_NAME,
        """
        [{"ifindex":2,"ifname":"enp1s0","flags":["BROADCAST","UP"],"mtu":1500,"addr_info":[]}]
        """);

    Cli run = Cli.run("nics", "--sysfs", sysfs.toString());

    assertEquals(1, run.status(), run.out());
    assertTrue(run.out().contains("rxe0 port 1 (enp1s0): "), run.out());
    assertTrue(run.err().startsWith("mesh: no NIC is usable"), run.err());
    assertTrue(run.err().contains("ip addr add "), run.err());
  }

  @Test
  void shouldNameTheFileThatIsMissing() throws IOException {
    Files.delete(sysfs.resolve(RecordedInterfaces.FILE_NAME));

    Cli run = Cli.run("nics", "--sysfs", sysfs.toString());

    assertEquals(1, run.status());
    assertTrue(run.err().contains(RecordedInterfaces.FILE_NAME), run.err());
    assertEquals(2, Cli.run("nics", "--sysfs", "/no/such/folder").status());
  }

  @Test
  void shouldNameTheInterfaceWhoseAddressIsUnreadable() throws IOException {
    write(
        RecordedInterfaces.FILE_NAME,
        """
        [{"ifname":"x0","addr_info":[{"family":"inet","local":"10.0.1","prefixlen":24}]}]
        """);

    Cli run = Cli.run("nics", "--sysfs", sysfs.toString());

    assertEquals(1, run.status());
    assertTrue(run.err().contains("x0"), run.err());
  }

  @Test
  void shouldShowEverySettingWithItsSource() {
    Cli run = Cli.run("nics", "--config");

    assertEquals(0, run.status());
    assertTrue(run.out().contains("MESH_TIMEOUT_MS"), run.out());
    assertTrue(run.out().contains("default"), run.out());
  }
}
