// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for tests whose program under test must be told its port.
 *
 * <p>They lie below the kernel's range for clients (ip_local_port_range, 32,768 and up by default):
 * a port of that range may become the near end of any connection on the host between this question
 * and its use. The kernel's answer to port 0 is always in that range.
 */
public final class FreePorts {
  private static final int FIRST = 12_000;
  private static final int END = 32_768;
  private static final int ATTEMPTS = 100;

  private FreePorts() {}

  /** A port that neither TCP nor UDP uses on any address of this host. */
  public static int next() {
    IOException failure = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket tcp = new ServerSocket(port);
          DatagramSocket udp = new DatagramSocket(port)) {
        if (tcp.isBound() && udp.isBound()) {
          return port;
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    throw new UncheckedIOException(
        "no port of %d to %d is free".formatted(FIRST, END - 1), failure);
  }
}
