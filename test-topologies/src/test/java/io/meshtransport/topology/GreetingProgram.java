// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;

/**
 * Prints the handle of its listener and waits for lines. {@code greet HANDLE} opens a connection
 * and sends a greeting over it; {@code accept} accepts the next one and prints what comes over it.
 * Ends with its input.
 */
final class GreetingProgram {
  private static final Duration LIMIT = Scenario.STEP;
  private static final int TAG = 1;

  private GreetingProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport transport = Transport.open();
        Listener listener = transport.listen(ConnectOptions.DEFAULT);
        BufferedReader input =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("handle " + HexFormat.of().formatHex(listener.handle()));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        String[] words = line.split(" ");
        if (words[0].equals("greet")) {
          greet(transport, HexFormat.of().parseHex(words[1]));
        } else {
          accept(listener);
        }
      }
    }
  }

  private static void greet(Transport transport, byte[] handle) throws Exception {
    Connection connection = transport.connect(handle, ConnectOptions.DEFAULT, LIMIT);
    byte[] text = "good morning".getBytes(StandardCharsets.UTF_8);
    ByteBuffer message = ByteBuffer.allocateDirect(text.length).put(text).flip();
    connection.send(message, TAG, LIMIT);
    System.out.println("greeted " + connection.route().peerAddress());
  }

  private static void accept(Listener listener) throws Exception {
    Connection connection = listener.acceptConnection(LIMIT);
    ByteBuffer message = ByteBuffer.allocateDirect(64);
    int length = (int) connection.receive(message, TAG, LIMIT);
    System.out.println("accepted " + StandardCharsets.UTF_8.decode(message.slice(0, length)));
  }
}
