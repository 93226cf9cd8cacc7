// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Questions and answers with calls that block, each with a deadline. Channels go one way, so there
 * are two, and the first message of the client is the handle to answer to.
 */
public final class BlockingEcho {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int HELLO = 1;
  private static final int LINE = 2;

  private BlockingEcho() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport client = Transport.open(Map.of("MESH_LOOPBACK", "127.78.1.1/24"));
        Transport server = Transport.open(Map.of("MESH_LOOPBACK", "127.78.1.2/24"));
        Listener questions = server.listen();
        Listener answers = client.listen()) {
      CompletableFuture<Void> serving =
          CompletableFuture.runAsync(() -> answerOnce(server, questions));
      try (SendChannel out = client.connect(questions.handle(), DEADLINE)) {
        out.send(ByteBuffer.wrap(answers.handle()), HELLO, DEADLINE);
        try (ReceiveChannel in = answers.accept(DEADLINE)) {
          out.send(ByteBuffer.wrap("is anybody there?".getBytes()), LINE, DEADLINE);
          ByteBuffer answer = ByteBuffer.allocate(1024);
          int length = (int) in.receive(answer, LINE, DEADLINE);
          System.out.println("answer: " + new String(answer.array(), 0, length));
        }
      }
      serving.join(); // Throws what the server met.
    }
  }

  private static void answerOnce(Transport server, Listener questions) {
    ByteBuffer buffer = ByteBuffer.allocate(1024);
    try (ReceiveChannel in = questions.accept(DEADLINE)) {
      byte[] handle = new byte[(int) in.receive(buffer, HELLO, DEADLINE)];
      buffer.get(0, handle);
      try (SendChannel out = server.connect(handle, DEADLINE)) {
        int length = (int) in.receive(buffer, LINE, DEADLINE);
        out.send(buffer.slice(0, length), LINE, DEADLINE);
      }
    } catch (Exception e) {
      throw new IllegalStateException("the server failed", e);
    }
  }
}
