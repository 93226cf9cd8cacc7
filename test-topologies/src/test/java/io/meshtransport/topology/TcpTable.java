// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The TCP sockets at a node, as its kernel lists them now: connections are established, and wait to
 * be accepted, while the program itself is stopped. See proc_pid_net(5); the states are those of
 * the kernel's tcp_states.h.
 */
record TcpTable(List<Socket> sockets) {
  private static final int ESTABLISHED = 0x01;
  private static final int LISTEN = 0x0a;

  /**
   * One socket.
   *
   * @param waiting of one that listens: connections that wait to be accepted
   */
  record Socket(int localPort, int state, int waiting) {
    /**
     * @param line such as {@code 0: 0100007F:12B9 00000000:0000 0A 00000000:00000001 ...}
     */
    static Socket parse(String line) {
      String[] fields = line.strip().split("\\s+");
      String received = fields[4].substring(fields[4].indexOf(':') + 1);
      return new Socket(
          hex(fields[1].substring(fields[1].indexOf(':') + 1)), hex(fields[3]), hex(received));
    }

    private static int hex(String digits) {
      return Integer.parseUnsignedInt(digits, 16);
    }
  }

  /** Of the network namespace that a process is in. */
  static TcpTable of(Process process) throws IOException {
    List<Socket> sockets = new ArrayList<>();
    for (String family : List.of("tcp", "tcp6")) {
      Path file = Path.of("/proc", String.valueOf(process.pid()), "net", family);
      if (Files.exists(file)) {
        Files.readAllLines(file).stream().skip(1).map(Socket::parse).forEach(sockets::add);
      }
    }
    return new TcpTable(List.copyOf(sockets));
  }

  /** Whether another node has a connection to a port, accepted or not. */
  boolean hasConnectionTo(int port) {
    return sockets.stream().anyMatch(each -> each.localPort == port && each.state == ESTABLISHED);
  }

  /** Whether a connection to any other port waits to be accepted. */
  boolean hasWaitingExceptTo(int port) {
    return sockets.stream()
        .anyMatch(each -> each.localPort != port && each.state == LISTEN && each.waiting > 0);
  }
}
