// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options that say which guests there are. */
final class LabTopology {
  /** The least at which a RoCE port carries 4096 bytes per packet, headers included, in round. */
  static final int DEFAULT_MTU_BYTES = 4200;

  private static final List<Topology> OFFERED =
      Stream.concat(Topologies.all().stream(), Stream.of(Topologies.fullMesh(4)))
          .filter(topology -> !topology.equals(Topologies.LOOPBACK))
          .toList();

  @Option(
      names = "--topology",
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "Which mesh: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private String name = "pair";

  @Option(
      names = "--guest-mtu",
      paramLabel = "N",
      description =
          "MTU of every guest's interfaces in bytes, 1280 to 9000, as 1500, 4200 or 9000."
              + " Default: 4200, with which RDMA packets carry 4096 bytes; mtu-mix has its own.")
  private Optional<Integer> mtuBytes = Optional.empty();

  /** The topologies guests can be laid in. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return OFFERED.stream().map(Topology::name).iterator();
    }
  }

  static LabTopology byDefault(String name) {
    LabTopology options = new LabTopology();
    options.name = name;
    return options;
  }

  /**
   * @throws CommandLine.ParameterException in words for the user
   */
  Topology topology(CommandLine commandLine) {
    Topology wanted =
        OFFERED.stream()
            .filter(topology -> topology.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new CommandLine.ParameterException(
                        commandLine,
                        "no topology '%s'; there are %s"
                            .formatted(name, String.join(", ", new Names()))));
    if (mtuBytes.isEmpty() && wanted.equals(Topologies.MTU_MIX)) {
      return wanted;
    }
    int mtu = mtuBytes.orElse(DEFAULT_MTU_BYTES);
    return withMtu(wanted, mtu, commandLine);
  }

  /**
   * A mesh of guests whose interfaces all have this MTU.
   *
   * @throws CommandLine.ParameterException in words for the user
   */
  static Topology withMtu(Topology topology, int mtuBytes, CommandLine commandLine) {
    if (mtuBytes < 1280 || mtuBytes > 9000) {
      throw new CommandLine.ParameterException(
          commandLine, "an MTU of " + mtuBytes + " bytes; the guests' NICs take 1280 to 9000");
    }
    return topology.withMtu(mtuBytes);
  }
}
