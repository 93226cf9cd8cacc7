// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * Two processes that share a folder and nothing else: the listener's handle goes by a file. Run
 * {@code TwoJvms receive FILE}, then {@code TwoJvms send FILE}, on one host or on two.
 */
public final class TwoJvms {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int TAG = 1;

  private TwoJvms() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    try (Transport transport = Transport.open()) {
      if (arguments[0].equals("receive")) {
        receive(transport, file);
      } else {
        send(transport, file);
      }
    }
  }

  private static void receive(Transport transport, Path file) throws Exception {
    try (Listener listener = transport.listen()) {
      // Renamed into place, so that the sender never reads half a handle.
      Path part = Files.write(Path.of(file + ".part"), listener.handle());
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      try (ReceiveChannel in = listener.accept(DEADLINE)) {
        ByteBuffer buffer = ByteBuffer.allocate(1024);
        int length = (int) in.receive(buffer, TAG, DEADLINE);
        System.out.println("received: " + new String(buffer.array(), 0, length));
      }
    }
  }

  private static void send(Transport transport, Path file) throws Exception {
    byte[] handle = Files.readAllBytes(file);
    try (SendChannel out = transport.connect(handle, DEADLINE)) {
      out.send(ByteBuffer.wrap("hello over a file".getBytes()), TAG, DEADLINE);
      System.out.println("sent to " + out.route());
    }
  }
}
