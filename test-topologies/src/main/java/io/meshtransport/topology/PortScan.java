// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * What a port scanner, a lost client or a fuzzer does to a listening port: connect, write rubbish,
 * hang up or stay.
 */
final class PortScan {
  private static final int LINGERING = 64;
  private static final int MAX_RUBBISH_BYTES = 4096;
  private static final int CONNECT_TIMEOUT_MS = 5000;

  private final InetSocketAddress target;
  private final int connections;
  private final Random random;
  private final Deque<Socket> lingering = new ArrayDeque<>();

  PortScan(NodeCommand.ScanPort command) {
    this.target = new InetSocketAddress(command.address(), command.port());
    this.connections = command.connections();
    this.random = new Random(command.seed());
  }

  NodeEvent run() {
    for (int i = 0; i < connections; i++) {
      try {
        disturb();
      } catch (IOException e) {
        // Being turned away is what a scanner must expect; the next attempt follows.
        continue;
      }
    }
    return new NodeEvent.Done();
  }

  private void disturb() throws IOException {
    if (lingering.size() == LINGERING) {
      lingering.remove().close();
    }
    Socket socket = new Socket();
    lingering.add(socket);
    socket.connect(target, CONNECT_TIMEOUT_MS);
    byte[] rubbish = new byte[random.nextInt(MAX_RUBBISH_BYTES)];
    random.nextBytes(rubbish);
    if (rubbish.length > 4 && random.nextBoolean()) {
      // Half of it begins like one of ours, to get past the first check.
      System.arraycopy(new byte[] {'M', 'E', 'S', 'H'}, 0, rubbish, 0, 4);
    }
    socket.getOutputStream().write(rubbish);
  }
}
