package io.meshtransport.topology.lab;

import java.nio.file.Path;
import java.util.List;

/**
 * What a guest does between init.sh and its end, written for bash: addresses, an RDMA device on
 * each NIC, then the agent. Anything that fails ends the guest, and stands on its console.
 */
final class GuestScript {
  // Waits for a condition of the kernel, which follows within milliseconds: 20 s at most.
  private static final String WAIT =
      """
      wait_for() {
        for i in $(seq 200); do
          if "$@"; then return; fi
          sleep 0.1
        done
        echo "lab: waited in vain for: $*"
        exit 1
      }
      rename() {
        for each in /sys/class/net/*; do
          if [ "$(cat "$each/address")" = "$1" ]; then ip link set "${each##*/}" name "$2"; fi
        done
      }
      is_up() { [ "$(cat "/sys/class/net/$1/operstate")" = up ]; }
      is_active() { grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state"; }
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
    script.append(WAIT);
    script.append("ip link set lo up\n");
    nics.forEach(nic -> script.append(bringUp(nic)));
    // After all addresses are set: rxe's table of GIDs is then complete from the start.
    nics.forEach(nic -> script.append(addRdmaDevice(nic)));
    script.append("exec 3<>\"$(echo /dev/vport*p1)\"\n");
    script.append(
        "%s -Xshare:auto %s -XX:+UseSerialGC -XX:-UsePerfData -Xmx64m \\%n"
            .formatted(quoted(java.toString()), String.join(" ", GuestJvm.QUICK_START)));
    script.append("  -cp %s %s <&3 >&3%n".formatted(quoted(classPath), GuestAgent.class.getName()));
    return script.toString();
  }

  /** One word for a shell, whatever is in it. */
  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private static String bringUp(GuestNic nic) {
    StringBuilder script = new StringBuilder();
    String name = nic.name();
    script.append("rename %s %s%n".formatted(nic.mac(), name));
    script.append("ip link set %s mtu %d%n".formatted(name, nic.mtuBytes()));
    script.append(addAddress(nic));
    script.append("ip link set %s up%n".formatted(name));
    nic.rateMbps()
        .ifPresent(
            rate ->
                script.append(
                    "tc qdisc add dev %s root tbf rate %dmbit burst 256kb latency 50ms%n"
                        .formatted(name, rate)));
    script.append("wait_for is_up %s%n".formatted(name));
    return script.toString();
  }

  /** Also what has to be said again after an interface was down, if its address is IPv6. */
  static String addAddress(GuestNic nic) {
    return "ip addr replace %s dev %s%s%n"
        .formatted(nic.address(), nic.name(), nic.address().isIpv4() ? "" : " nodad");
  }

  private static String addRdmaDevice(GuestNic nic) {
    return "rdma link add %s type rxe netdev %s%n".formatted(nic.rdmaDevice(), nic.name())
        + "wait_for is_active %s%n".formatted(nic.rdmaDevice());
  }
}
