// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.doctor.Ailment;
import io.meshtransport.cli.doctor.Ailment.Severity;
import io.meshtransport.cli.doctor.Firewall;
import io.meshtransport.cli.doctor.HostChecks;
import io.meshtransport.cli.doctor.MeshChecks;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.LinkedInterface;
import io.meshtransport.nic.Rejection;
import io.meshtransport.verbs.VerbsGidTables;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mesh doctor}: what is wrong on this host and on the cables, with remedies. */
@Command(
    name = "doctor",
    description =
        "Examines this host (locked memory, firewall, reverse path filters, GID rows, modules, clocks) and the"
            + " mesh (cabling, cut cables, nodes that do not answer), and says of each finding where it is, why it"
            + " matters and what to do. The mesh is read as ./mesh map does.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:nothing stops a pair of nodes from talking",
      "1:something does, or the mesh cannot be read",
      "2:an option or a setting is wrong"
    })
final class DoctorCommand implements Callable<Integer> {
  @CommandLine.Mixin private JoinLimit joinLimit;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    joinLimit.check();
    MeshConfig config = MeshConfig.load(Map.of());
    config.warnings().forEach(warning -> spec.commandLine().getErr().println("mesh: " + warning));
    List<Ailment> ofMesh = new ArrayList<>();
    Optional<MeshMap> map = examineMesh(config, ofMesh);
    List<Ailment> found = new ArrayList<>();
    found.addAll(HostChecks.of(Path.of("/"), cables(config), Instant.now()));
    found.addAll(gidRows(VerbsGidTables.discovery(config).scan()));
    found.addAll(Firewall.of(Firewall.rules(), ports(config)));
    found.addAll(ofMesh);
    return report(map, found);
  }

  /** What is wrong with this host is known even where the mesh cannot be read: then empty. */
  private Optional<MeshMap> examineMesh(MeshConfig config, List<Ailment> found)
      throws InterruptedException {
    try {
      MeshMap map = map(config);
      found.addAll(MeshChecks.of(map));
      return Optional.of(map);
    } catch (IOException e) {
      found.add(
          new Ailment(
              Severity.WARNS,
              "the mesh",
              "It cannot be read. " + CliFailures.cause(e),
              "So cabling, cut cables and nodes that do not answer have not been examined.",
              "Run ./mesh doctor on a host where nothing else has joined the mesh, or free the port."));
      return Optional.empty();
    }
  }

  private MeshMap map(MeshConfig config) throws IOException, InterruptedException {
    try (MapSource source =
        MapSource.open(config, joinLimit.seconds(), spec.commandLine().getErr())) {
      return source.map();
    }
  }

  private int report(Optional<MeshMap> map, List<Ailment> found) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(map.map(MeshMap::summary).orElse("this host alone"));
    found.forEach(each -> out.printf("%n%s%n", each));
    long blocking = found.stream().filter(each -> each.severity() == Severity.BLOCKS).count();
    out.printf(
        "%n%s%n",
        found.isEmpty()
            ? "doctor: nothing is wrong"
            : "doctor: %d findings, %d of them stop nodes from talking"
                .formatted(found.size(), blocking));
    out.flush();
    return blocking == 0 && map.isPresent() ? CommandLine.ExitCode.OK : MeshMain.FAILED;
  }

  /** Interfaces of this host that may be ends of cables, and have IPv4 addresses. */
  private static List<String> cables(MeshConfig config) throws IOException {
    try {
      return LinkedInterface.live(config.ifname()).stream()
          .map(LinkedInterface::netdev)
          .filter(each -> each.addresses().stream().anyMatch(LinkAddress::isIpv4))
          .map(each -> each.name())
          .toList();
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage() + ": " + e.getCause().getMessage(), e);
    }
  }

  /** Ports of RDMA devices that are left out; other interfaces need not be of the mesh. */
  static List<Ailment> gidRows(Inventory inventory) {
    return inventory.rejections().stream()
        .filter(each -> !each.device().isEmpty() && !each.device().equals(each.netdev()))
        .map(DoctorCommand::ailment)
        .toList();
  }

  private static Ailment ailment(Rejection each) {
    return new Ailment(
        Severity.WARNS,
        "%s port %d".formatted(each.device(), each.port()),
        each.reason(),
        "No peer can be reached through it.",
        each.remedy());
  }

  private static List<Firewall.Port> ports(MeshConfig config) {
    return List.of(
        new Firewall.Port("tcp", config.handshakePort(), "handshakes"),
        new Firewall.Port("tcp", config.dataPort(), "the data of software queue pairs"),
        new Firewall.Port("udp", config.neighbourPort(), "hellos"),
        new Firewall.Port("tcp", config.neighbourPort(), "signs of life of neighbours' processes"),
        new Firewall.Port("udp", 4791, "the data of RDMA NICs (RoCE v2)"));
  }
}
