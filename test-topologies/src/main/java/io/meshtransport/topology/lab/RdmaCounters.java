// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.FabricException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * What Soft-RoCE has counted on an RDMA device since the guest booted. The names are those of the
 * kernel's files in hw_counters.
 *
 * <p>A number that needs a counter which the kernel does not have is refused with a {@link
 * FabricException}: nothing counted is not the same as zero.
 *
 * @param values by name
 */
public record RdmaCounters(Map<String, Long> values) {
  public RdmaCounters {
    values = Map.copyOf(values);
  }

  /** Of one device of a node. */
  public static RdmaCounters of(LabFabric fabric, String node, Cable cable) {
    String folder =
        "/sys/class/infiniband/" + fabric.rdmaDevice(cable, node) + "/ports/1/hw_counters";
    return parse(fabric.run(node, "grep", "-r", "", folder));
  }

  /** Of all devices of all nodes. */
  public static RdmaCounters sumOf(LabFabric fabric) {
    Map<String, Long> sum = new HashMap<>();
    for (Cable cable : fabric.topology().cables()) {
      for (String node : fabric.topology().nodes()) {
        if (cable.touches(node)) {
          of(fabric, node, cable)
              .values()
              .forEach((name, value) -> sum.merge(name, value, Long::sum));
        }
      }
    }
    return new RdmaCounters(sum);
  }

  /**
   * Lines {@code FOLDER/NAME:VALUE}. Those that are no numbers, as lifespan's unit, are left out.
   */
  static RdmaCounters parse(String lines) {
    Map<String, Long> values = new HashMap<>();
    for (String line : lines.lines().toList()) {
      int colon = line.lastIndexOf(':');
      String value = line.substring(colon + 1).strip();
      if (value.matches("\\d+")) {
        values.put(line.substring(line.lastIndexOf('/', colon) + 1, colon), Long.parseLong(value));
      }
    }
    return new RdmaCounters(values);
  }

  private long value(String name) {
    Long value = values.get(name);
    if (value == null) {
      throw new FabricException(
          "this kernel's Soft-RoCE has no counter "
              + name
              + "; it has "
              + new TreeSet<>(values.keySet()));
    }
    return value;
  }

  /** How often a receiver had no receive posted for a message (RNR), sent and received. */
  public long notReady() {
    return value("send_rnr_err") + value("rcvd_rnr_err") + value("retry_rnr_exceeded_err");
  }

  /** How often a sender sent again because no acknowledgement came, or gave up. */
  public long retries() {
    return value("completer_retry_err") + value("retry_exceeded_err");
  }

  /** Packets out of sequence, and the answers of the other end to them. */
  public long outOfSequence() {
    return value("out_of_seq_request") + value("rcvd_seq_err") + value("duplicate_request");
  }

  /** RDMA packets received. */
  public long packets() {
    return value("rcvd_pkts");
  }

  @Override
  public String toString() {
    return "%d packets, %d times not ready (RNR), %d retries, %d out of sequence"
        .formatted(packets(), notReady(), retries(), outOfSequence());
  }
}
