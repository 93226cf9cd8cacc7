// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.nio.file.Path;
import java.util.List;

/**
 * What a guest does between init.sh and its end, written for bash: addresses, an RDMA device on
 * each NIC, then the agent. Any failure ends the guest and is printed on its console.
 */
final class GuestScript {
  // Each program costs an emulated guest a fifth of a second before it does anything, so bash does
  // what it can do by itself, and one `ip -batch` sets everything. Each awaited condition follows
  // within milliseconds; the bound is 20 s.
  private static final String WORDS =
      """
      wait_for() {
        local turn
        for ((turn = 0; turn < 200; turn++)); do
          if "$@"; then return; fi
          sleep 0.1
        done
        echo "lab: waited in vain for: $*"
        exit 1
      }
      said=
      say() { said+="$*"$'\n'; }
      rename() {
        local each address
        for each in /sys/class/net/*; do
          read -r address <"$each/address" || continue
          if [[ $address == "$1" ]]; then say link set "${each##*/}" name "$2"; fi
        done
      }
      is() {
        local state
        read -r state <"$1" && [[ $state == *"$2"* ]]
      }
      """;

  private final String node;
  private final List<GuestNic> nics;

  GuestScript(String node, List<GuestNic> nics) {
    this.node = node;
    this.nics = nics;
  }

  String text(Path java, String classPath) {
    StringBuilder script = new StringBuilder();
    script.append("export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n");
    script.append("export HOME=/root LC_ALL=C.UTF-8\n");
    script.append("cd /\nset -e\nulimit -l unlimited\n");
    script.append("echo ").append(node).append(" >/proc/sys/kernel/hostname\n");
    script.append(WORDS);
    script.append("say link set lo up\n");
    nics.forEach(nic -> script.append(bringUp(nic)));
    script.append("ip -batch - <<<\"$said\"\n");
    nics.forEach(nic -> script.append(limit(nic)));
    // After all addresses are set: rxe's table of GIDs is then complete from the start.
    nics.forEach(nic -> script.append(addRdmaDevice(nic)));
    script.append("exec 3<>\"$(echo /dev/vport*p1)\"\n");
    // With the serial collector, which a small host has, a JVM cannot map the objects of the JDK's
    // archive of classes, and makes them again.
    script.append(
        "%s -Xshare:auto %s -XX:+UseG1GC -XX:-UsePerfData -Xmx64m \\%n"
            .formatted(quoted(java.toString()), String.join(" ", GuestJvm.QUICK_START)));
    script.append("  -cp %s %s <&3 >&3%n".formatted(quoted(classPath), GuestAgent.class.getName()));
    return script.toString();
  }

  /** One word for a shell, whatever is in it. */
  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private static String bringUp(GuestNic nic) {
    String name = nic.name();
    return "rename %s %s%n".formatted(nic.mac(), name)
        + "say link set %s mtu %d%n".formatted(name, nic.mtuBytes())
        + "say addr replace %s dev %s%s%n"
            .formatted(nic.address(), name, nic.address().isIpv4() ? "" : " nodad")
        + "say link set %s up%n".formatted(name);
  }

  private static String limit(GuestNic nic) {
    return nic.rateMbps().isEmpty()
        ? ""
        : "tc qdisc add dev %s root tbf rate %dmbit burst 256kb latency 50ms%n"
            .formatted(nic.name(), nic.rateMbps().getAsInt());
  }

  private static String addRdmaDevice(GuestNic nic) {
    return "wait_for is /sys/class/net/%s/operstate up%n".formatted(nic.name())
        + "rdma link add %s type rxe netdev %s%n".formatted(nic.rdmaDevice(), nic.name())
        + "wait_for is /sys/class/infiniband/%s/ports/1/state ACTIVE%n".formatted(nic.rdmaDevice());
  }
}
